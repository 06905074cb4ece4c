// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import FoundationEssentials

/// Credentials in an encrypted file, for machines without a Secret Service.
///
/// ```swift
/// var configuration = VaultConfiguration()
/// configuration.keySources = [.keyFile("/etc/example/vault.key")]
/// let vault = try VaultStore(configuration)
/// ```
///
/// Everything is encrypted with AES-256-GCM under a random key: secrets, services, accounts, labels and attributes. The
/// file contains that key once for each slot, encrypted with a passphrase (by Argon2id) or another key.
/// `docs/vault-format.md` describes the format.
///
/// The first stored item creates the file. Several processes may use it at once: each sees the changes of the others. A
/// change is on the disk when the call returns. A crash at any moment leaves either the old file or the new one. One
/// backup, of the previous state, is stored beside it.
///
/// While the vault is unlocked, its key and all items are in guarded memory (see `SecretBytes`).
public final class VaultStore: CredentialStore {
    /// `vault`.
    public let name = "vault"

    /// Persistent, atomic, lockable, and with encrypted attributes.
    public let capabilities: StoreCapabilities = [
        .persistent, .atomicUpdates, .locking, .encryptedAttributes,
    ]

    /// The path of the file.
    public let path: String

    let configuration: VaultConfiguration
    private let thread = SerialThread()
    private let state: Lock<VaultState>
    private let use = Lock(Use())

    private struct Use {
        var isOpen = false
        var last = ContinuousClock.Instant.now
        var timer: Task<Void, Never>?
    }

    /// Creates a store for a vault. Nothing is read before the first call.
    ///
    /// - Parameter configuration: The settings of the vault.
    /// - Throws: ``KeychainError`` if the path is invalid, or there is no home directory.
    public init(_ configuration: VaultConfiguration = VaultConfiguration()) throws(KeychainError) {
        self.configuration = configuration
        let state = try VaultState(configuration)
        path = state.file.path
        self.state = Lock(state)
    }

    deinit { use.withLock { $0.timer?.cancel() } }

    /// Returns the item that matches a key, or `nil`.
    public func credential(for key: CredentialKey) async throws(KeychainError) -> Credential? {
        try await read { (vault) throws(KeychainError) in try vault?.payload.credential(for: key) }
    }

    /// Stores an item, and replaces the one with the same key if there is one. The item is on the disk when this
    /// returns.
    public func set(_ credential: Credential) async throws(KeychainError) {
        try await update([.set(credential)])
    }

    /// Deletes the item that matches a key, and returns whether there was one.
    @discardableResult
    public func delete(_ key: CredentialKey) async throws(KeychainError) -> Bool {
        try await change(createsVault: false) { (vault, _) throws(KeychainError) in
            let changed = try vault.payload.applying([.delete(key)], at: Date())
            defer { vault.payload = changed }
            return changed.count < vault.payload.count
        }
    }

    /// Returns the items of a service, or all items.
    public func items(service: String?) async throws(KeychainError) -> [CredentialItem] {
        try await read { (vault) throws(KeychainError) in try vault?.payload.items(service: service) ?? [] }
    }

    /// Returns the items that have all of the attributes.
    public func search(_ attributes: [String: String]) async throws(KeychainError) -> [CredentialItem] {
        try await read { (vault) throws(KeychainError) in try vault?.payload.search(attributes) ?? [] }
    }

    /// Makes all changes and saves once, or makes none.
    public func update(_ changes: [CredentialChange]) async throws(KeychainError) {
        guard !changes.isEmpty else { return }
        let isSetting = changes.contains { if case .set = $0 { true } else { false } }
        for case .set(let credential) in changes { try credential.check() }
        try await change(createsVault: isSetting) { (vault, _) throws(KeychainError) in
            vault.payload = try vault.payload.applying(changes, at: Date())
            return true
        }
    }

    /// Wipes the vault's key and items from memory. Only ``unlock()`` unlocks it again. A key in the kernel's keyring
    /// is not removed; see ``forgetCachedKey()``.
    public func lock() async throws(KeychainError) {
        try await close(isOnPurpose: true)
    }

    /// Unlocks the vault with the first of its ``VaultConfiguration/keySources`` that opens it. Does not create a
    /// missing vault.
    public func unlock() async throws(KeychainError) {
        try await perform { (state, _) throws(KeychainError) in state.isLockedOnPurpose = false }
        _ = try await read { (vault) throws(KeychainError) in vault == nil }
    }

    /// Wipes the vault's key and items from memory. The next call unlocks it again, if a source has a secret.
    ///
    /// - Throws: ``KeychainError``.
    public func close() async throws(KeychainError) {
        try await close(isOnPurpose: false)
    }

    private func close(isOnPurpose: Bool) async throws(KeychainError) {
        try await perform { (state, _) throws(KeychainError) in
            state.close()
            state.isLockedOnPurpose = isOnPurpose
        }
    }
}

// Running calls on the store's thread.
extension VaultStore {
    /// Calls `body` with the vault in its current state on the disk, or `nil` if there is none.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (OpenVault?) throws(KeychainError) -> Value
    ) async throws(KeychainError) -> Value {
        let keys = try await storedKeys()
        return try await perform { (state, token) throws(KeychainError) in
            try body(state.current(token, keys: keys))
        }
    }

    /// Calls `body` with the vault while no other program can change it, and saves it if `isChanged` returns `true` for
    /// the result.
    func change<Value: Sendable>(
        createsVault: Bool,
        _ body: @escaping @Sendable (inout OpenVault, [SecretSource.Secret]) throws(KeychainError) -> Value,
        savesIf isChanged: @escaping @Sendable (Value) -> Bool
    ) async throws(KeychainError) -> Value? {
        let keys = try await storedKeys()
        return try await perform { (state, token) throws(KeychainError) in
            var value: Value?
            try state.update(token, keys: keys, createsVault: createsVault) {
                (vault, secrets) throws(KeychainError) in
                let result = try body(&vault, secrets)
                value = result
                return isChanged(result)
            }
            return value
        }
    }

    @discardableResult
    private func change(
        createsVault: Bool,
        _ body: @escaping @Sendable (inout OpenVault, [SecretSource.Secret]) throws(KeychainError) -> Bool
    ) async throws(KeychainError) -> Bool {
        do throws(KeychainError) {
            return try await change(createsVault: createsVault, body, savesIf: { $0 }) ?? false
        } catch .notFound where !createsVault {
            // Nothing can be deleted from a vault that does not exist.
            return false
        }
    }

    /// Calls `body` on the store's thread.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (inout VaultState, CancellationToken) throws(KeychainError) -> Value
    ) async throws(KeychainError) -> Value {
        let promptPolicy = configuration.promptPolicy
        // Unlocking the vault derives a key, and may prompt the user.
        let isOpen = use.withLock { $0.isOpen }
        let deadline = promptPolicy.timeout + (isOpen ? .zero : promptPolicy.promptTimeout)
        defer { noteUse() }
        return try await thread.run(deadline: deadline) { [state, use] token in
            state.withLock { state in
                defer { use.withLock { [isOpen = state.vault != nil] in $0.isOpen = isOpen } }
                do throws(KeychainError) {
                    // The call may have waited for the state. A caller that has stopped waiting assumes that nothing
                    // was changed, and may have made another change since.
                    try token.check()
                    return .success(try body(&state, token))
                } catch {
                    return .failure(error)
                }
            }
        }
    }

    /// Returns the keys for this vault from other stores, if they are needed: to unlock the vault, or in any case.
    func storedKeys(inAnyCase: Bool = false) async throws(KeychainError) -> [SecretBytes] {
        let stores = configuration.keySources.compactMap { source in
            if case .store(let store) = source { store } else { nil }
        }
        guard !stores.isEmpty else { return [] }
        let header = try await perform { (state, _) throws(KeychainError) -> VaultHeader? in
            let header = try state.file.readHeader()?.header
            // The vault is open, and its key has not changed.
            let isOpen = state.vault != nil && state.vault?.header.keyCheck == header?.keyCheck
            return isOpen && !inAnyCase ? nil : header
        }
        // A store without a slot in this vault must not delay the call.
        guard let header, header.slots.contains(where: { $0.kind == .secretService }) else { return [] }
        var keys: [SecretBytes] = []
        for store in stores {
            // If a store does not answer, the other sources are still tried.
            let key = Self.keyOfStoredKey(vaultIdentifier: header.identifier)
            if let credential = try? await store.credential(for: key) { keys.append(credential.secret) }
        }
        return keys
    }

    static func keyOfStoredKey(vaultIdentifier: [UInt8]) -> CredentialKey {
        CredentialKey(service: "credkit-vault", account: Hex.encode(vaultIdentifier))
    }

    /// Postpones the automatic lock.
    private func noteUse() {
        guard let timeout = configuration.autoLockTimeout else { return }
        use.withLock { use in
            use.last = .now
            guard use.timer == nil else { return }
            use.timer = Task { [weak self] in
                while let last = self?.use.withLock({ $0.last }), !Task.isCancelled {
                    guard last + timeout <= .now else {
                        try? await Task.sleep(until: last + timeout, clock: .continuous)
                        continue
                    }
                    self?.use.withLock { $0.timer = nil }
                    try? await self?.closeWhenIdle()
                    return
                }
            }
        }
    }

    /// Locks the vault without counting as a use.
    private func closeWhenIdle() async throws(KeychainError) {
        try await thread.run(deadline: configuration.promptPolicy.timeout) { [state, use] _ in
            state.withLock { $0.close() }
            use.withLock { $0.isOpen = false }
            return .success(())
        }
    }
}
