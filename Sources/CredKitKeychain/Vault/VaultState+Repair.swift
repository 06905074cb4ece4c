// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

// Repairing the vault from whichever of its two copies is whole.
extension VaultState {
    /// Repairs the vault, and returns what was done; see ``VaultStore/repair()``.
    mutating func repair(_ context: UnlockContext) throws(KeychainError) -> VaultRepair? {
        let failure: KeychainError
        do throws(KeychainError) {
            guard let vault = try current(context) else { return nil }
            try vault.payload.verify()
            if context.acceptsRollback, rollback.isChanged(vault) { return try makeNewest(vault, context) }
            return try repairBackup(of: vault, context)
        } catch {
            guard error == .damaged else { throw error }
            failure = error
        }
        return try restoreBackup(after: failure, context)
    }

    /// Saves a whole copy as the newest.
    private mutating func makeNewest(
        _ copy: OpenVault,
        _ context: UnlockContext
    ) throws(KeychainError) -> VaultRepair {
        let newest = rollback.mark(of: copy.header)?.generation
        try update(context) { (_, _) throws(KeychainError) in true }
        return VaultRepair(
            action: .acceptedOlderCopy,
            generation: copy.header.generation,
            newestGeneration: newest,
            itemCount: copy.payload.count,
            damagedFile: nil
        )
    }
}

// The backup is damaged.
extension VaultState {
    private func repairBackup(
        of vault: OpenVault,
        _ context: UnlockContext
    ) throws(KeychainError) -> VaultRepair? {
        func readBackup() throws(KeychainError) -> VaultContents? { try file.readBackup() }
        guard try isDamaged(readBackup, key: vault) else { return nil }
        return try file.withLock(context.token, isCreated: false) { (folder) throws(KeychainError) in
            // Another program may have saved the vault meanwhile.
            func readBackup() throws(KeychainError) -> VaultContents? {
                try file.readBackup(in: folder.directory)
            }
            guard try isDamaged(readBackup, key: vault) else { return nil }
            let damagedFile = try file.keepDamagedBackup(in: folder)
            try file.copyToBackup(in: folder)
            return VaultRepair(
                action: .replacedBackup,
                generation: vault.header.generation,
                newestGeneration: vault.header.generation,
                itemCount: vault.payload.count,
                damagedFile: damagedFile
            )
        }
    }

    /// Returns whether there is a copy that is damaged. One under another key than the vault's is not examined.
    private func isDamaged(
        _ read: () throws(KeychainError) -> VaultContents?,
        key vault: OpenVault
    ) throws(KeychainError) -> Bool {
        do throws(KeychainError) {
            guard let contents = try read(), contents.header.keyCheck == vault.header.keyCheck else {
                return false
            }
            try OpenVault.decrypt(contents, key: vault.key).payload.verify()
            return false
        } catch {
            guard error == .damaged else { throw error }
            return true
        }
    }
}

// The vault is damaged or missing.
extension VaultState {
    private mutating func restoreBackup(
        after failure: KeychainError,
        _ context: UnlockContext
    ) throws(KeychainError) -> VaultRepair? {
        // Unlocking may take a while, and may prompt the user, so it happens before the lock is taken.
        let backup = try openBackup(after: failure, context)
        return try file.withLock(context.token, isCreated: false) { (folder) throws(KeychainError) in
            // Another program may have repaired the vault while this one waited for the lock, and stored more items.
            guard try isDamagedOrMissing(backup, context, in: folder.directory) else { return nil }
            guard try file.readBackup(in: folder.directory)?.headerBytes == backup.headerBytes else {
                throw .busy(
                    "the backup of \(file.path) was changed meanwhile; nothing was repaired, try again"
                )
            }
            try context.token.check()
            let newest = try newestGeneration(for: backup, context, in: folder.directory)
            let damagedFile = try file.keepDamagedVault(in: folder)
            var vault = backup
            // The damaged file was the save after the backup, so its number is not used again.
            let used = max(rollback.mark(of: backup.header)?.generation ?? 0, backup.header.generation &+ 1)
            try save(&vault, after: used, backup: .same, in: folder)
            return VaultRepair(
                action: .restoredBackup,
                generation: backup.header.generation,
                newestGeneration: newest,
                itemCount: backup.payload.count,
                damagedFile: damagedFile
            )
        }
    }

    private mutating func openBackup(
        after failure: KeychainError,
        _ context: UnlockContext
    ) throws(KeychainError) -> OpenVault {
        guard file.hasBackup else {
            throw .damaged("\(failure.message). It cannot be repaired: there is no backup \(file.backupPath)")
        }
        do throws(KeychainError) {
            guard let contents = try file.readBackup() else { throw failure }
            if !context.acceptsRollback, rollback.isReplaced(contents.header) {
                throw rollback.replaced(contents.header)
            }
            let backup = try open(contents, context)
            try backup.payload.verify()
            return backup
        } catch {
            guard error == .damaged else { throw error }
            throw .damaged(
                "\(failure.message). It cannot be repaired: the backup \(file.backupPath) is damaged, too"
            )
        }
    }

    private mutating func isDamagedOrMissing(
        _ backup: OpenVault,
        _ context: UnlockContext,
        in directory: PrivateDirectory
    ) throws(KeychainError) -> Bool {
        do throws(KeychainError) {
            guard let contents = try file.read(in: directory) else { return true }
            let vault =
                try contents.header.keyCheck == backup.header.keyCheck
                ? OpenVault.decrypt(contents, key: backup.key) : open(contents, context)
            try vault.payload.verify()
            return false
        } catch {
            guard error == .damaged else { throw error }
            return true
        }
    }

    /// Returns the newest generation that is known, and throws if the backup is older than the state before the last
    /// save.
    private func newestGeneration(
        for backup: OpenVault,
        _ context: UnlockContext,
        in directory: PrivateDirectory
    ) throws(KeychainError) -> UInt64? {
        // The header of the damaged file is not authentic, but may be newer than what this account has seen.
        let damaged = (try? file.readHeader(in: directory))?.header
        let stated = damaged?.identifier == backup.header.identifier ? damaged?.generation : nil
        let mark = rollback.mark(of: backup.header)
        let newest = [mark?.generation, stated].compactMap { $0 }.max()
        let generation = backup.header.generation
        let isFork = mark?.generation == generation && rollback.isOlder(backup.header, backup.headerBytes)
        guard context.acceptsRollback || (newest ?? 0 <= generation &+ 1 && !isFork) else {
            throw .rollbackDetected(
                "the backup \(file.backupPath) is too old to be the state before the last save: generation "
                    + "\(generation), and the newest known one is \(newest ?? 0). Nothing was changed. To restore it "
                    + "nevertheless, and lose what was stored since, run 'credkit keychain repair --accept-older-copy'"
            )
        }
        return newest
    }
}
