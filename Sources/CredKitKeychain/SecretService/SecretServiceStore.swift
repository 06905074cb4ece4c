// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Credentials in the desktop's keyring: GNOME Keyring, KWallet, KeePassXC, or whatever offers the Secret Service
/// (`org.freedesktop.secrets`) on the session bus.
///
/// ```swift
/// let store = SecretServiceStore(interaction: .desktop)       // may open the desktop's dialogue
/// try await store.set(Credential(item: CredentialItem(key: key), secret: SecretBytes("s3cret")))
/// ```
///
/// What it stores is found by `secret-tool`, Python's keyring and others that use the same attributes, and the other
/// way round; see ``AttributeScheme``. Secrets are encrypted on their way. Services, accounts and other attributes are
/// not, and the service tells them to every program of the same user.
///
/// - A store is one collection: the default one, or the one that was named. Others are neither searched nor unlocked.
/// - The collection is unlocked before anything is looked for. If that takes a prompt and ``Interaction`` allows none,
///   ``KeychainError/locked`` is thrown.
/// - Two programs that store a new item at the same time leave one.
/// - A batch that fails is undone change by change, as far as the service still does what it is told.
/// - gnome-keyring forgets content types, and everything is `text/plain` then. Lists say `text/plain` of all items.
/// - gnome-keyring damages a keyring that has no password when it is given certain secrets, with line feeds above
///   all; they are refused with ``KeychainError/invalid`` where it can be known that there is no password.
/// - libsecret is loaded at the first call. Where it is not installed, and in a package built without the trait
///   `SecretService`, all calls throw ``KeychainError/noService``.
public struct SecretServiceStore: CredentialStore {
    /// `secret-service`.
    public var name: String { Self.name }

    /// Persistent, can be locked, and may open dialogues.
    public var capabilities: StoreCapabilities { Self.capabilities }

    static let name = "secret-service"
    static let capabilities: StoreCapabilities = [.persistent, .locking, .desktopPrompts]

    private let collection: String?
    private let scheme: AttributeScheme
    private let interaction: Interaction
    private let address: BusAddress?

    /// A store. Nothing is connected to before the first call.
    ///
    /// - Parameters:
    ///   - collection: The collection's alias, its label, or the last part of its object path; `nil` for the default
    ///     collection.
    ///   - scheme: By which attributes items are stored and found.
    ///   - interaction: Whether the service may open dialogues, and how long calls wait.
    public init(
        collection: String? = nil,
        scheme: AttributeScheme = .generic,
        interaction: Interaction = .never
    ) {
        self.init(collection: collection, scheme: scheme, interaction: interaction, address: nil)
    }

    /// A store on another bus than the environment's.
    init(collection: String?, scheme: AttributeScheme, interaction: Interaction, address: BusAddress?) {
        self.collection = collection
        self.scheme = scheme
        self.interaction = interaction
        self.address = address
    }

    /// The item that a key means, with its secret, or `nil`.
    public func credential(for key: CredentialKey) async throws(KeychainError) -> Credential? {
        try await calls().credential(for: key)
    }

    /// Stores an item, in place of the one with the same key if there is one, whoever wrote it.
    public func set(_ credential: Credential) async throws(KeychainError) {
        try await calls().set(credential)
    }

    /// Deletes the item that a key means, and says whether there was one.
    @discardableResult
    public func delete(_ key: CredentialKey) async throws(KeychainError) -> Bool {
        try await calls().delete(key)
    }

    /// The items of a service, or all that have one, without their secrets.
    public func items(service: String?) async throws(KeychainError) -> [CredentialItem] {
        try await calls().items(service: service)
    }

    /// The items that have all of the attributes, without their secrets.
    public func search(_ attributes: [String: String]) async throws(KeychainError) -> [CredentialItem] {
        try await calls().search(attributes)
    }

    /// Makes several changes. If one fails, those before it are undone as far as possible.
    public func update(_ changes: [CredentialChange]) async throws(KeychainError) {
        try await calls().update(changes)
    }

    /// Locks the collection, for all programs.
    public func lock() async throws(KeychainError) {
        try await calls().lock()
    }

    /// Unlocks the collection, for all programs; with a dialogue if there must be one and ``Interaction`` allows it.
    public func unlock() async throws(KeychainError) {
        try await calls().unlock()
    }

    /// What there is, found out without unlocking anything or asking anybody.
    ///
    /// - Returns: The service, and the collection if there is one.
    /// - Throws: ``KeychainError``: ``KeychainError/noBus`` or ``KeychainError/noService``, for instance.
    public func status() async throws(KeychainError) -> SecretServiceStatus {
        try await calls().status()
    }

    /// Throws unless there is a service that answers, with a collection that is unlocked or that somebody may unlock.
    func checkIsUsable() async throws(KeychainError) {
        guard let collection = try await status().collection else { throw .noDefaultCollection }
        guard !collection.isLocked || interaction.prompting == .desktop else {
            throw .locked("its collection '\(collection.label)' is locked")
        }
    }

    private func calls() throws(KeychainError) -> any SecretServiceCalls {
        #if SecretService
        let address = if let address { address } else { try BusAddress.find() }
        return SecretServiceClient(
            address: address,
            collection: collection,
            scheme: scheme,
            interaction: interaction
        )
        #else
        throw .noService(
            "this program was built without the trait SecretService, which the desktop's keyring needs; use the vault "
                + "(credkit keychain --backend vault)"
        )
        #endif
    }
}
