// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// The status of a vault, determined without unlocking it.
public struct VaultStatus: Sendable, Hashable {
    /// The path of the file.
    public let path: String
    /// Whether the file exists.
    public let exists: Bool
    /// Whether a backup exists.
    public let hasBackup: Bool
    /// The number of saves; 0 if the file does not exist.
    public let generation: UInt64
    /// The newest generation that this account has seen; `nil` if it has seen none.
    public let newestGenerationSeen: UInt64?
    /// The slots that unlock the vault.
    public let slots: [VaultSlot]
    /// Whether its key is in the kernel's keyring now.
    public let isKeyCached: Bool
}

extension VaultStore {
    /// Returns the status of the vault without unlocking it.
    ///
    /// - Returns: The status.
    /// - Throws: ``KeychainError``; ``KeychainError/damaged`` if the header is damaged.
    public func status() async throws(KeychainError) -> VaultStatus {
        try await perform { (state, _) throws(KeychainError) in
            let header = try state.file.readHeader()?.header
            return VaultStatus(
                path: state.file.path,
                exists: header != nil,
                hasBackup: state.file.hasBackup,
                generation: header?.generation ?? 0,
                newestGenerationSeen: header.flatMap { state.mark(of: $0)?.generation },
                slots: header?.slots.map(VaultSlot.init) ?? [],
                isKeyCached: header.map { VaultKeyCache.read(vaultIdentifier: $0.identifier) != nil } ?? false
            )
        }
    }

    /// Reads and checks every byte of the vault.
    ///
    /// - Returns: The number of items.
    /// - Throws: ``KeychainError``; ``KeychainError/damaged`` if anything is damaged.
    @discardableResult
    public func verify() async throws(KeychainError) -> Int {
        let keys = try await storedKeys()
        return try await perform { (state, token) throws(KeychainError) in
            // Reads the disk, not the memory.
            guard let opened = try state.current(token, keys: keys), let contents = try state.file.read()
            else {
                throw .notFound("there is no vault \(state.file.path)")
            }
            // Another program may have changed the key since.
            let vault =
                try contents.header.keyCheck == opened.header.keyCheck
                ? OpenVault.decrypt(contents, key: opened.key) : state.open(contents, token, keys: keys)
            try vault.payload.verify()
            return vault.payload.count
        }
    }

    /// Repairs a vault: restores the backup if the vault is damaged or missing, and saves an older copy as the newest
    /// if the configuration accepts it (``VaultConfiguration/acceptsRollback``). Nothing is deleted: a damaged file is
    /// renamed and stays beside the vault.
    ///
    /// - Returns: A description of the repair, for people; `nil` if none was necessary.
    /// - Throws: ``KeychainError``; then nothing was changed, except perhaps the name of the damaged file.
    public func repair() async throws(KeychainError) -> String? {
        let keys = try await storedKeys()
        return try await perform { (state, token) throws(KeychainError) -> String? in
            let failure: KeychainError
            do throws(KeychainError) {
                guard let vault = try state.current(token, keys: keys) else { return nil }
                try vault.payload.verify()
                return try Self.makeNewest(&state, token, keys: keys)
            } catch {
                guard error == .damaged else { throw error }
                failure = error
            }
            guard let contents = try state.file.readBackup() else { throw failure }
            var vault = try state.open(contents, token, keys: keys)
            try vault.payload.verify()
            let patience = state.configuration.promptPolicy.timeout
            let file = state.file
            var aside: String?
            let isRestored = try file.withLock(token, patience: patience, isCreated: false) {
                (folder) throws(KeychainError) -> Bool in
                // Another program may have repaired the vault while this one waited for the lock, and stored more
                // items.
                guard try Self.isDamaged(&state, token, keys: keys, in: folder.directory) else {
                    return false
                }
                try token.check()
                aside = try file.setAside(in: folder)
                try state.save(&vault, backup: .previous, in: folder, isOlderCopy: true)
                return true
            }
            guard isRestored else { return nil }
            return "restored the backup with \(vault.payload.count) items"
                + (aside.map { "; the damaged file is kept as \($0)" } ?? "")
        }
    }

    private static func isDamaged(
        _ state: inout VaultState,
        _ token: CancellationToken,
        keys: [SecretBytes],
        in directory: PrivateDirectory
    ) throws(KeychainError) -> Bool {
        do throws(KeychainError) {
            guard let contents = try state.file.read(in: directory) else { return true }
            try state.open(contents, token, keys: keys).payload.verify()
            return false
        } catch {
            guard error == .damaged else { throw error }
            return true
        }
    }

    /// Saves the vault as the newest, if it is an older copy.
    private static func makeNewest(
        _ state: inout VaultState,
        _ token: CancellationToken,
        keys: [SecretBytes]
    ) throws(KeychainError) -> String? {
        guard state.configuration.acceptsRollback else { return nil }
        var wasOlder = false
        let copy = state
        try state.update(token, keys: keys) { (vault, _) throws(KeychainError) in
            wasOlder = (copy.mark(of: vault.header)?.generation ?? 0) > vault.header.generation
            return true
        }
        return wasOlder ? "saved the older copy as the newest" : nil
    }
}
