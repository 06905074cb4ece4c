// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

extension VaultStore {
    /// Repairs a vault: restores the backup if the vault is damaged or missing, and saves an older copy as the newest
    /// if the configuration accepts it (``VaultConfiguration/acceptsRollback``). Nothing is deleted: a damaged file is
    /// renamed and stays beside the vault.
    ///
    /// - Returns: A description of the repair, for people; `nil` if none was necessary.
    /// - Throws: ``KeychainError``; then nothing was changed, except perhaps the name of the damaged file.
    public func repair() async throws(KeychainError) -> String? {
        try await performUnlocked { (state, context) throws(KeychainError) -> String? in
            let failure: KeychainError
            do throws(KeychainError) {
                guard let vault = try state.current(context) else { return nil }
                try vault.payload.verify()
                return try Self.makeNewest(&state, context)
            } catch {
                guard error == .damaged else { throw error }
                failure = error
            }
            guard let contents = try state.file.readBackup() else { throw failure }
            var vault = try state.open(contents, context)
            try vault.payload.verify()
            let file = state.file
            var aside: String?
            let isRestored = try file.withLock(context.token, isCreated: false) {
                (folder) throws(KeychainError) -> Bool in
                // Another program may have repaired the vault while this one waited for the lock, and stored more
                // items.
                guard try Self.isDamaged(&state, context, in: folder.directory) else {
                    return false
                }
                try context.token.check()
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
        _ context: UnlockContext,
        in directory: PrivateDirectory
    ) throws(KeychainError) -> Bool {
        do throws(KeychainError) {
            guard let contents = try state.file.read(in: directory) else { return true }
            try state.open(contents, context).payload.verify()
            return false
        } catch {
            guard error == .damaged else { throw error }
            return true
        }
    }

    /// Saves the vault as the newest, if it is an older copy.
    private static func makeNewest(
        _ state: inout VaultState,
        _ context: UnlockContext
    ) throws(KeychainError) -> String? {
        guard state.configuration.acceptsRollback else { return nil }
        var wasOlder = false
        let copy = state
        try state.update(context) { (vault, _) throws(KeychainError) in
            wasOlder = (copy.rollback.mark(of: vault.header)?.generation ?? 0) > vault.header.generation
            return true
        }
        return wasOlder ? "saved the older copy as the newest" : nil
    }
}
