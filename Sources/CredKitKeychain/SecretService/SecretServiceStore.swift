// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Credentials in the desktop's keyring: GNOME Keyring, KWallet, KeePassXC, or any other program that offers the Secret
/// Service (`org.freedesktop.secrets`) on the session bus.
///
/// ```swift
/// let store = SecretServiceStore(promptPolicy: .desktop)       // may open the desktop's dialog
/// try await store.set(Credential(item: CredentialItem(key: key), secret: SecretBytes("s3cret")))
/// ```
///
/// Its items are found by `secret-tool`, Python keyring and other programs with the same attributes, and their items
/// are found by this store; see ``SecretServiceSchema``. Secrets are encrypted in transit. Services, accounts and other
/// attributes are not encrypted, and the service reveals them to every program of the same user.
///
/// - A store uses one collection: the default one, or the named one. Others are neither searched nor unlocked.
/// - The collection is unlocked before a query. If that requires a prompt and ``PromptPolicy`` does not allow it,
///   ``KeychainError/locked`` is thrown.
/// - If two programs store a new item at the same time, one item remains.
/// - If a batch fails, its changes are undone one by one, as far as the service still accepts calls.
/// - gnome-keyring does not store content types; all of its items have `text/plain`. Lists contain `text/plain` for all
///   items.
/// - gnome-keyring damages a keyring without a password when it stores certain secrets, above all those with line
///   feeds. Such secrets are refused with ``KeychainError/invalid`` if the missing password can be detected.
/// - libsecret is loaded at the first call. If it is not installed, and in a package built without the trait
///   `SecretService`, all calls throw ``KeychainError/noService``.
public struct SecretServiceStore: CredentialStore {
    /// `secret-service`.
    public var name: String { Self.name }

    /// Persistent, lockable, and may show prompts at the desktop.
    public var capabilities: StoreCapabilities { Self.capabilities }

    static let name = "secret-service"
    static let capabilities: StoreCapabilities = [.persistent, .locking, .desktopPrompts]

    private let collection: String?
    package let schema: SecretServiceSchema
    private let promptPolicy: PromptPolicy
    private let address: BusAddress?

    /// Creates a store. It connects at the first call.
    ///
    /// - Parameters:
    ///   - collection: The collection's alias, its label, or the last part of its object path; `nil` for the default
    ///     collection.
    ///   - schema: The attributes by which items are stored and found.
    ///   - promptPolicy: Whether the service may show dialogs, and how long calls wait.
    public init(
        collection: String? = nil,
        schema: SecretServiceSchema = .generic,
        promptPolicy: PromptPolicy = .never
    ) {
        self.init(collection: collection, schema: schema, promptPolicy: promptPolicy, address: nil)
    }

    /// Creates a store on another bus than the environment's.
    init(collection: String?, schema: SecretServiceSchema, promptPolicy: PromptPolicy, address: BusAddress?) {
        self.collection = collection
        self.schema = schema
        self.promptPolicy = promptPolicy
        self.address = address
    }

    /// Returns the item that matches a key, with its secret, or `nil`.
    public func credential(for key: CredentialKey) async throws(KeychainError) -> Credential? {
        try await calls().credential(for: key)
    }

    /// Stores an item, and replaces the one with the same key if there is one, whichever program wrote it.
    public func set(_ credential: Credential) async throws(KeychainError) {
        try await calls().set(credential)
    }

    /// Deletes the item that matches a key, and returns whether there was one.
    @discardableResult
    public func delete(_ key: CredentialKey) async throws(KeychainError) -> Bool {
        try await calls().delete(key)
    }

    /// Returns the items of a service, or all items with a service, without their secrets.
    public func items(service: String?) async throws(KeychainError) -> [CredentialItem] {
        try await calls().items(service: service)
    }

    /// Returns the items that have all of the attributes, without their secrets.
    public func search(_ attributes: [String: String]) async throws(KeychainError) -> [CredentialItem] {
        try await calls().search(attributes)
    }

    /// Makes several changes. If one fails, the earlier ones are undone as far as possible.
    public func update(_ changes: [CredentialChange]) async throws(KeychainError) {
        try await calls().update(changes)
    }

    /// Locks the collection, for all programs.
    public func lock() async throws(KeychainError) {
        try await calls().lock()
    }

    /// Unlocks the collection, for all programs. Shows a dialog if necessary and allowed by ``PromptPolicy``.
    public func unlock() async throws(KeychainError) {
        try await calls().unlock()
    }

    /// Returns the status of the service, without unlocking anything or showing a prompt.
    ///
    /// - Returns: The service, and the collection if there is one.
    /// - Throws: ``KeychainError``: for example ``KeychainError/noBus`` or ``KeychainError/noService``.
    public func status() async throws(KeychainError) -> SecretServiceStatus {
        try await calls().status()
    }

    /// Throws unless the service answers and has a collection that is unlocked, or that a permitted prompt can unlock.
    func checkIsUsable() async throws(KeychainError) {
        guard let collection = try await status().collection else { throw .noDefaultCollection }
        guard !collection.isLocked || promptPolicy.mode == .desktop else {
            throw .locked("its collection '\(collection.label)' is locked")
        }
    }

    private func calls() throws(KeychainError) -> any SecretServiceCalls {
        #if SecretService
        let address = if let address { address } else { try BusAddress.find() }
        return SecretServiceClient(
            address: address,
            collection: collection,
            schema: schema,
            promptPolicy: promptPolicy
        )
        #else
        throw .noService(
            "this program was built without the trait SecretService, which the desktop's keyring needs; use the vault "
                + "(credkit keychain --backend vault)"
        )
        #endif
    }
}
