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
    let thread = SerialThread()
    let state: Lock<VaultState>
    let use = Lock(Use())

    struct Use {
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
        do throws(KeychainError) {
            let isDeleted = try await change(
                { (vault, _) throws(KeychainError) -> Bool in
                    let changed = try vault.payload.applying([.delete(key)], at: Date())
                    defer { vault.payload = changed }
                    return changed.count < vault.payload.count
                },
                savesIf: { $0 }
            )
            return isDeleted ?? false
        } catch .notFound {
            // Nothing can be deleted from a vault that does not exist.
            return false
        }
    }

    /// Deletes items that still have the same secret, and returns the others.
    func deleteUnchanged(_ credentials: [Credential]) async throws(KeychainError) -> [Credential] {
        let changed = try await change(
            { (vault, _) throws(KeychainError) in
                var changed: [Credential] = []
                var changes: [CredentialChange] = []
                for credential in credentials {
                    guard let stored = try vault.payload.credential(for: credential.item.key),
                        stored.item.key.isSame(as: credential.item.key)
                    else { continue }
                    if stored.hasSameContent(as: credential) {
                        changes.append(.delete(credential.item.key))
                    } else {
                        changed.append(credential)
                    }
                }
                vault.payload = try vault.payload.applying(changes, at: Date())
                return changed
            },
            savesIf: { $0.count < credentials.count }
        )
        return changed ?? []
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
        for case .set(let credential) in changes { try credential.check() }
        try await perform(.toUnlock) { (state, context) throws(KeychainError) in
            try state.apply(changes, context)
        }
    }

    /// Stores imported items, which keep the times that they have, and saves once, or stores none.
    func add(_ credentials: [Credential]) async throws(KeychainError) {
        for credential in credentials { try credential.check() }
        try await perform(.toUnlock) { (state, context) throws(KeychainError) in
            try state.apply(credentials.map { .set($0) }, keepsTimes: true, context)
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

// The vault's key in the kernel's keyring.
extension VaultStore {
    /// Caches the vault's key in the kernel's keyring of this user for a time, so that other processes of this user can
    /// unlock the vault without a prompt; see ``VaultConfiguration/usesCachedKey``.
    ///
    /// - Parameter time: The lifetime of the cached key, at least one second.
    /// - Throws: ``KeychainError``; ``KeychainError/denied`` if the kernel's keyring is not available, as in many
    ///   containers.
    public func cacheKey(for time: Duration) async throws(KeychainError) {
        let seconds = UInt32(clamping: max(1, time.components.seconds))
        try await read { [path] (vault) throws(KeychainError) in
            guard let vault else { throw .notFound("there is no vault \(path)") }
            try VaultKeyCache.write(
                vault.key,
                vaultIdentifier: vault.header.identifier,
                seconds: seconds
            )
        }
    }

    /// Removes the vault's key from the kernel's keyring, if it is there. If the vault is missing, damaged, or not the one
    /// that this account has used at the path, it is unknown which key that is: then the keys of all vaults of this user
    /// are removed.
    ///
    /// - Throws: ``KeychainError`` if a key remains.
    public func forgetCachedKey() async throws(KeychainError) {
        try await perform { (state, _) throws(KeychainError) in
            let header = try? state.file.readHeader()?.header
            guard let header, state.rollback.identifierSeenHere == header.identifier else {
                return try VaultKeyCache.removeAll()
            }
            try VaultKeyCache.remove(vaultIdentifier: header.identifier)
        }
    }
}

extension VaultStore {
    /// Repairs a vault from whichever of its two copies is whole.
    ///
    /// - If the vault is damaged or missing, restores its backup: the state before the last save. A backup that is older
    ///   than that, or of another vault than the one this account has used at the path, is restored only if
    ///   ``VaultConfiguration/acceptsRollback`` is set.
    /// - If the backup is damaged or missing, replaces it by a copy of the vault.
    /// - If the vault is an older copy or another one, saves it as the newest, but only if
    ///   ``VaultConfiguration/acceptsRollback`` is set.
    ///
    /// Nothing is deleted: a damaged file, and a backup that is newer than an accepted copy, get another name and stay
    /// beside the vault. A vault that has a later format, is too costly, or opens with no passphrase may have been
    /// tampered with: it is replaced by its backup only if ``VaultConfiguration/acceptsRollback`` is set.
    ///
    /// - Returns: What was done; `nil` if no repair was necessary.
    /// - Throws: ``KeychainError``; ``KeychainError/damaged`` if both copies are, ``KeychainError/rollbackDetected`` and
    ///   ``KeychainError/vaultReplaced`` as described above. Then nothing was changed.
    public func repair() async throws(KeychainError) -> VaultRepair? {
        try await perform(.toUnlock) { (state, context) throws(KeychainError) in try state.repair(context) }
    }
}
