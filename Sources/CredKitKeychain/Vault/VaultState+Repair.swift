// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

// Repairing the vault from whichever of its two copies is whole.
extension VaultState {
    /// Repairs the vault, and returns what was done; see ``VaultStore/repair()``.
    mutating func repair(_ context: UnlockContext) throws(KeychainError) -> VaultRepair? {
        let failure: KeychainError
        do throws(KeychainError) {
            guard let vault = try current(context, isReadAnew: true) else { return nil }
            try vault.payload.verify()
            if context.acceptsRollback, rollback.isChanged(vault) {
                let newest = rollback.mark(of: vault.header)?.generation
                try accept(vault, context)
                return repaired(.acceptedCopy, vault, newest: newest, kept: keptFile)
            }
            return try repairBackup(of: vault, context)
        } catch {
            guard isRepairable(error, context) else { throw namingTheBackup(error) }
            failure = error
        }
        return try restoreBackup(after: failure, context)
    }

    /// Saves a copy that was verified as the newest.
    mutating func accept(_ copy: OpenVault, _ context: UnlockContext) throws(KeychainError) {
        try update(context) { [path = file.path] (newest, _) throws(KeychainError) in
            guard newest.headerBytes == copy.headerBytes else {
                throw .busy("the vault \(path) was changed meanwhile; nothing was accepted, try again")
            }
            return true
        }
    }

    private func repaired(
        _ action: VaultRepair.Action,
        _ copy: OpenVault,
        newest: UInt64?,
        kept: String?
    ) -> VaultRepair {
        VaultRepair(
            action: action,
            generation: copy.header.generation,
            newestGeneration: newest,
            itemCount: copy.payload.count,
            keptFile: kept
        )
    }

    /// Returns whether the backup may replace a vault that cannot be read.
    ///
    /// The checksum of the header has no key. So an attacker can also make a header that is of a later format, too costly,
    /// or opens with no passphrase. But a later version of CredKit can write such a file, too, and a passphrase can be
    /// wrong: then the user must decide.
    private func isRepairable(_ error: KeychainError, _ context: UnlockContext) -> Bool {
        if error == .damaged { return true }
        return context.acceptsRollback && file.hasBackup
            && [.unsupported, .overLimit, .wrongPassphrase].contains(error.code)
    }

    private func namingTheBackup(_ error: KeychainError) -> KeychainError {
        guard [.unsupported, .overLimit, .wrongPassphrase].contains(error.code), file.hasBackup else {
            return error
        }
        return KeychainError(
            error.code,
            message:
                "\(error.message). If the file was tampered with, 'credkit keychain doctor --repair --accept-older-copy' "
                + "restores the backup"
        )
    }
}

// The backup is damaged or missing.
extension VaultState {
    private func repairBackup(
        of vault: OpenVault,
        _ context: UnlockContext
    ) throws(KeychainError) -> VaultRepair? {
        guard try needsBackup(vault, in: file.directory()) else { return nil }
        return try file.withLock(context.token, isCreated: false) { (folder) throws(KeychainError) in
            // Another program may have saved the vault meanwhile.
            let directory = folder.directory
            guard try needsBackup(vault, in: directory), let contents = try file.read(in: directory),
                contents.header.keyCheck == vault.header.keyCheck
            else { return nil }
            let copy = try OpenVault.decrypt(contents, key: vault.key)
            try copy.payload.verify()
            let kept = try file.keepBackup(in: folder, as: "damaged")
            try file.writeBackup(contents, in: folder)
            return repaired(.replacedBackup, copy, newest: copy.header.generation, kept: kept)
        }
    }

    /// Returns whether the backup is damaged, or missing though the vault was saved more than once. One under another key
    /// than the vault's is not examined.
    private func needsBackup(
        _ vault: OpenVault,
        in directory: PrivateDirectory
    ) throws(KeychainError) -> Bool {
        do throws(KeychainError) {
            guard let contents = try file.readBackup(in: directory) else {
                return vault.header.generation > 1
            }
            guard contents.header.keyCheck == vault.header.keyCheck else { return false }
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
        let damaged = (try? file.readHeader())?.bytes
        let backup = try openBackup(after: failure, context)
        return try file.withLock(context.token, isCreated: false) { (folder) throws(KeychainError) in
            file.removeLeftovers(in: folder)
            // Another program may have repaired the vault while this one waited for the lock, and stored more items.
            guard try isStillUnreadable(damaged, backup, context, in: folder.directory) else { return nil }
            guard try file.readBackup(in: folder.directory)?.headerBytes == backup.headerBytes else {
                throw .busy(
                    "the backup of \(file.path) was changed meanwhile; nothing was repaired, try again"
                )
            }
            try context.token.check()
            let newest = try newestGeneration(for: backup, context, in: folder.directory)
            let kept = try file.keepDamagedVault(in: folder)
            var vault = backup
            // The damaged file was the save after the backup, so its number is not used again.
            let used = max(rollback.mark(of: backup.header)?.generation ?? 0, backup.header.generation &+ 1)
            do throws(KeychainError) {
                try save(&vault, after: used, backup: .same, in: folder)
            } catch {
                // The damaged file is still in its place.
                if let kept { file.removeKept(kept, in: folder) }
                throw error
            }
            return repaired(.restoredBackup, backup, newest: newest, kept: kept)
        }
    }

    private mutating func openBackup(
        after failure: KeychainError,
        _ context: UnlockContext
    ) throws(KeychainError) -> OpenVault {
        do throws(KeychainError) {
            if let contents = try file.readBackup() {
                if !context.acceptsRollback, rollback.isReplaced(contents.header) {
                    throw KeychainError(
                        .vaultReplaced,
                        message:
                            "the backup \(file.backupPath) is of another vault than the one that this account has "
                            + "used here. Nothing was changed. To restore it nevertheless, run "
                            + "'credkit keychain doctor --repair --accept-older-copy'"
                    )
                }
                let backup = try openCopy(contents, context)
                try backup.payload.verify()
                return backup
            }
        } catch {
            guard error == .damaged else { throw error }
            throw .damaged(
                "\(failure.message). It cannot be repaired: the backup \(file.backupPath) is damaged, too"
            )
        }
        throw .damaged("\(failure.message). It cannot be repaired: there is no backup \(file.backupPath)")
    }

    private func isStillUnreadable(
        _ damaged: [UInt8]?,
        _ backup: OpenVault,
        _ context: UnlockContext,
        in directory: PrivateDirectory
    ) throws(KeychainError) -> Bool {
        do throws(KeychainError) {
            guard let contents = try file.read(in: directory) else { return true }
            guard contents.header.keyCheck == backup.header.keyCheck else {
                // A killed change of the key leaves a backup under the new one. The file was unreadable with its own key.
                if contents.headerBytes == damaged || context.acceptsRollback { return true }
                throw .busy("the vault \(file.path) was changed meanwhile; nothing was repaired, try again")
            }
            try OpenVault.decrypt(contents, key: backup.key).payload.verify()
            // The payload is whole, but its slots may open with no passphrase.
            return context.acceptsRollback && contents.header.slots != backup.header.slots
        } catch {
            guard isRepairable(error, context) else { throw error }
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
                    + "nevertheless, and lose what was stored since, run "
                    + "'credkit keychain doctor --repair --accept-older-copy'"
            )
        }
        return newest
    }
}
