// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import FoundationEssentials

/// The state of a ``VaultStore``. It is used on the store's thread only, by one call at a time.
struct VaultState: Sendable {
    let configuration: VaultConfiguration
    let file: VaultFile
    let rollback: RollbackGuard
    var unlocker: VaultUnlocker

    private(set) var vault: OpenVault?
    /// The new path of the backup that the last accepted copy has replaced, if it was kept.
    private(set) var keptFile: String?
    /// Whether the vault was locked by ``VaultStore/lock()``, so that only ``VaultStore/unlock()`` unlocks it.
    var isLockedOnPurpose = false
    private var hasTidied = false

    init(_ configuration: VaultConfiguration) throws(KeychainError) {
        self.configuration = configuration
        file = try VaultFile(path: configuration.resolvedPath())
        rollback = RollbackGuard(directory: try configuration.resolvedStateDirectory(), path: file.path)
        unlocker = VaultUnlocker(configuration, path: file.path)
    }

    mutating func close() {
        vault = nil
        unlocker.forgetSecrets()
    }
}

// Reading.
extension VaultState {
    /// Returns the unlocked vault in its current state on the disk; `nil` if there is none.
    ///
    /// The memory of an open vault is used while the file begins with its header, unless `isReadAnew`.
    mutating func current(
        _ context: UnlockContext,
        isReadAnew: Bool = false
    ) throws(KeychainError) -> OpenVault? {
        if vault != nil, !isReadAnew, let vault = try unchanged(file.readHeader(), context) { return vault }
        return try read(context) == nil ? nil : vault
    }

    /// Reads the file and decrypts it to ``vault``; returns the file, or `nil` if there is none. Opens the folder unless
    /// it is passed: then the lock is held, and nothing is done that could wait for a user. Opens the file unless it is
    /// passed, of which only the header was read.
    private mutating func read(
        _ context: UnlockContext,
        in directory: PrivateDirectory? = nil,
        from opened: VaultFile.Opened? = nil
    ) throws(KeychainError) -> VaultFile.Opened? {
        if !hasTidied {
            file.removeLeftovers()
            hasTidied = true
        }
        guard !isLockedOnPurpose else {
            throw .locked("the vault was locked; unlock it first")
        }
        var previous: [UInt8]?
        var next = opened
        if next == nil { next = try file.readHeader(in: directory) }
        while let found = next {
            let contents = try found.contents()
            let seen = try rollback.check(contents.header)
            if !context.acceptsRollback, rollback.isReplaced(contents.header, in: seen) {
                // As with a missing vault; an older copy is examined below.
                if let alarm = try alarm(context, in: directory), alarm != .rollbackDetected { throw alarm }
                next = try file.readHeader(in: directory)
                continue
            }
            let decrypted = try directory == nil ? open(contents, context) : openWithKnownKey(contents)
            // The copy also looks older if another program has saved the vault since this file was read.
            if !context.acceptsRollback, rollback.isOlder(contents.header, contents.headerBytes, in: seen) {
                guard contents.headerBytes != previous else { throw rollback.olderCopy(contents.header) }
                previous = contents.headerBytes
                next = try file.readHeader(in: directory)
                continue
            }
            vault = decrypted
            // Only a save makes an accepted copy the known one.
            if !context.acceptsRollback { rollback.noteReading(of: decrypted, from: file, in: seen) }
            return found
        }
        vault = nil
        guard !context.acceptsRollback, rollback.missing != nil else { return nil }
        // A program that creates the vault remembers it only after the file has its name.
        if let alarm = try alarm(context, in: directory) { throw alarm }
        return try read(context, in: directory)
    }

    /// Returns the alarm for what is at the path, while no other program changes it.
    func alarm(
        _ context: UnlockContext,
        in directory: PrivateDirectory? = nil
    ) throws(KeychainError) -> KeychainError? {
        func alarm(in directory: PrivateDirectory) throws(KeychainError) -> KeychainError? {
            let read = try file.readHeader(in: directory)
            return rollback.alarm(for: read?.header, read?.bytes)
        }
        if let directory { return try alarm(in: directory) }
        do throws(KeychainError) {
            return try file.withLock(context.token, isCreated: false) { (folder) throws(KeychainError) in
                try alarm(in: folder.directory)
            }
        } catch .notFound {
            return rollback.missing
        } catch {
            // Where there is no lock to be had, as on a read-only file system, the first impression counts.
            guard error != .cancelled else { throw error }
            return try alarm(in: file.directory())
        }
    }

    /// Forgets the vault that was seen at the path, if there is none now.
    func forgetPath(_ context: UnlockContext) throws(KeychainError) {
        do throws(KeychainError) {
            try file.withLock(context.token, isCreated: false) { (folder) throws(KeychainError) in
                // Another program may have created a vault meanwhile.
                if try file.readHeader(in: folder.directory) == nil { rollback.forgetPath() }
            }
        } catch .notFound {
            // The folder was deleted, too.
            rollback.forgetPath()
        }
    }

    /// Returns the open vault, if the file still begins with its header.
    private func unchanged(
        _ copy: VaultFile.Opened?,
        _ context: UnlockContext,
        in marks: PrivateDirectory? = nil
    ) -> OpenVault? {
        guard let vault, let copy, copy.bytes == vault.headerBytes else { return nil }
        // A vault that was open all the time may also be older than a state that another program has saved since.
        return !context.acceptsRollback && rollback.isOlder(copy.header, copy.bytes, in: marks) ? nil : vault
    }

    /// Decrypts the vault's file. May wait for a user.
    private mutating func open(
        _ contents: VaultContents,
        _ context: UnlockContext
    ) throws(KeychainError) -> OpenVault {
        do throws(KeychainError) {
            return try openCopy(contents, context)
        } catch {
            // The copy may have another passphrase. The header's generation is not authentic, but an old one indicates
            // a rollback.
            let newest = rollback.mark(of: contents.header)?.generation ?? 0
            guard error == .wrongPassphrase, contents.header.generation < newest, !context.acceptsRollback
            else { throw error }
            throw rollback.olderCopy(contents.header)
        }
    }

    /// Decrypts the vault's file, or its backup. May wait for a user.
    mutating func openCopy(
        _ contents: VaultContents,
        _ context: UnlockContext
    ) throws(KeychainError) -> OpenVault {
        try OpenVault.decrypt(contents, key: unlocker.key(of: contents.header, open: vault, context))
    }

    /// Decrypts the vault's file with the key of the open vault.
    private func openWithKnownKey(_ contents: VaultContents) throws(KeychainError) -> OpenVault {
        guard let vault, vault.header.identifier == contents.header.identifier,
            vault.header.keyCheck == contents.header.keyCheck
        else {
            throw .busy("the vault \(file.path) was changed meanwhile; try again")
        }
        return try OpenVault.decrypt(contents, key: vault.key)
    }
}

// Changing.
extension VaultState {
    /// Makes all changes and saves once, or makes none.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - keepsTimes: Whether stored items keep the times that they have.
    ///   - context: What the call has for unlocking the vault.
    /// - Throws: ``KeychainError``.
    mutating func apply(
        _ changes: [CredentialChange],
        keepsTimes: Bool = false,
        _ context: UnlockContext
    ) throws(KeychainError) {
        let isSetting = changes.contains { if case .set = $0 { true } else { false } }
        do throws(KeychainError) {
            try update(context, createsVault: isSetting) { (vault, _) throws(KeychainError) in
                vault.payload = try vault.payload.applying(changes, at: Date(), keepsTimes: keepsTimes)
                return true
            }
        } catch .notFound where !isSetting {
            // Nothing can be deleted from a vault that does not exist.
        }
    }

    /// Changes the vault while no other program can, and saves it unless `change` returns `false`. If the vault does
    /// not exist and `createsVault` is true, it is created.
    mutating func update(
        _ context: UnlockContext,
        backup: VaultFile.Backup = .previous,
        createsVault: Bool = false,
        _ change: (inout OpenVault, SlotSecrets) throws(KeychainError) -> Bool
    ) throws(KeychainError) {
        let file = file
        var isSaved: Bool?
        while isSaved == nil {
            // A passphrase prompt may take a while, so the vault is unlocked before the lock is taken. The file stays open,
            // so that it is known again under the lock.
            let seen: VaultFile.Opened? = if vault == nil { try read(context) } else { nil }
            var created: OpenVault?
            if vault == nil {
                guard createsVault else { throw .notFound("there is no vault \(file.path)") }
                created = try unlocker.newVault(context)
            }
            isSaved = try file.withLock(context.token, isCreated: created != nil) {
                (folder) throws(KeychainError) -> Bool? in
                file.removeLeftovers(in: folder)
                // Another program has created the vault, or changed its key, meanwhile: start again.
                let found = try file.readHeader(in: folder.directory, after: seen)
                guard found?.header.keyCheck == vault?.header.keyCheck else {
                    close()
                    return nil
                }
                // Whether this call has decrypted the file.
                var isDecrypted = seen != nil && found?.file === seen?.file
                let marks = rollback.opened()
                var newest = unchanged(found, context, in: marks)
                if newest == nil {
                    let again = try read(context, in: folder.directory, from: isDecrypted ? nil : found)
                    newest = again == nil ? created : vault
                    isDecrypted = true
                }
                guard var vault = newest else { throw .notFound("the vault \(file.path) no longer exists") }
                let secrets = SlotSecrets(secrets: unlocker.secrets, budget: context.budget)
                guard try change(&vault, secrets) else { return false }
                // The caller may have stopped waiting and assumes that nothing was changed. It may have made another
                // change since.
                try context.token.check()
                // An accepted older copy becomes the newest one, also in the backup: the copy itself would be too old.
                let isAccepted = context.acceptsRollback && rollback.isChanged(vault)
                let used = isAccepted ? rollback.mark(of: vault.header)?.generation : nil
                if isAccepted { keptFile = try keepOtherBackup(than: vault.header, in: folder) }
                var newBackup: VaultFile.Backup = isAccepted ? .same : backup
                // A file that was damaged while the vault was open must not become the backup, in place of a whole one.
                if newBackup == .previous, !isDecrypted, let found, !isWhole(found, key: vault.key) {
                    newBackup = .same
                }
                try save(&vault, after: used ?? 0, backup: newBackup, in: folder, marks)
                return true
            }
        }
    }

    /// Saves a vault whose lock is held, with a generation after its own and after a given one.
    mutating func save(
        _ vault: inout OpenVault,
        after used: UInt64,
        backup: VaultFile.Backup,
        in folder: VaultFile.LockedFolder,
        _ marks: PrivateDirectory? = nil
    ) throws(KeychainError) {
        // If the backup is a copy of this save, the state before it must not pass for the backup: it may have a revoked key.
        let step: UInt64 = backup == .same ? 2 : 1
        let (generation, isOver) = max(vault.header.generation, used).addingReportingOverflow(step)
        guard !isOver else { throw .overLimit("the vault has reached the maximum number of saves") }
        let bytes = try vault.seal(generation: generation)
        try file.replace(with: bytes, backup: backup, in: folder)
        rollback.noteSave(of: vault, in: marks)
        self.vault = vault
    }

    /// Returns whether a file can be decrypted, of which only the header was read.
    private func isWhole(_ opened: VaultFile.Opened, key: SecretBytes) -> Bool {
        do throws(KeychainError) {
            _ = try OpenVault.decrypt(opened.contents(), key: key)
            return true
        } catch {
            // Other errors, such as a lack of memory, say nothing about the file.
            return error != .damaged
        }
    }

    /// Keeps a backup that is newer than an accepted copy, or of another vault: it may be all that is left of what was
    /// stored since. Returns its new path.
    private func keepOtherBackup(
        than accepted: VaultHeader,
        in folder: VaultFile.LockedFolder
    ) throws(KeychainError) -> String? {
        guard let backup = file.backupHeader(in: folder.directory),
            backup.identifier != accepted.identifier || backup.generation > accepted.generation
        else { return nil }
        return try file.keepBackup(in: folder, as: "replaced")
    }
}
