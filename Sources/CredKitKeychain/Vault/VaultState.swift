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
    /// Returns the unlocked vault in its current state on the disk; `nil` if there is none. Opens the folder unless it
    /// is passed.
    mutating func current(
        _ context: UnlockContext,
        in directory: PrivateDirectory? = nil
    ) throws(KeychainError) -> OpenVault? {
        if !hasTidied {
            file.removeLeftovers()
            hasTidied = true
        }
        if vault != nil, let vault = try unchanged(file.readHeader(in: directory), context) { return vault }
        guard !isLockedOnPurpose else {
            throw .locked("the vault was locked; unlock it first")
        }
        var previous: [UInt8]?
        while let contents = try file.read(in: directory) {
            if !context.acceptsRollback {
                try refuseReplaced(contents.header, context, isLocked: directory != nil)
            }
            let opened = try open(contents, context)
            // The copy also looks older if another program has saved the vault since this file was read.
            if rollback.isOlder(contents.header, contents.headerBytes), !context.acceptsRollback {
                guard contents.headerBytes != previous else { throw rollback.olderCopy(contents.header) }
                previous = contents.headerBytes
                continue
            }
            vault = opened
            // Only a save makes an accepted copy the known one.
            if !context.acceptsRollback { rollback.noteReading(of: opened, in: file) }
            return opened
        }
        close()
        if !context.acceptsRollback, let missing = rollback.missing { throw missing }
        return nil
    }

    /// Throws if another vault was seen at the path.
    private func refuseReplaced(
        _ header: VaultHeader,
        _ context: UnlockContext,
        isLocked: Bool
    ) throws(KeychainError) {
        guard rollback.isReplaced(header) else { return }
        guard !isLocked else { throw rollback.replaced(header) }
        // A program that replaces a vault on purpose remembers it only after the file has its name.
        try file.withLock(context.token, isCreated: false) { (_) throws(KeychainError) in
            if rollback.isReplaced(header) { throw rollback.replaced(header) }
        }
    }

    /// Returns the open vault, if the file still begins with its header.
    private func unchanged(
        _ read: (header: VaultHeader, bytes: [UInt8])?,
        _ context: UnlockContext
    ) -> OpenVault? {
        guard let vault, let read, read.bytes == vault.headerBytes else { return nil }
        // A vault that was open all the time may also be older than a state that another program has saved since.
        return context.acceptsRollback || !rollback.isOlder(read.header, read.bytes) ? vault : nil
    }

    /// Decrypts the vault's file, or another one: its backup.
    mutating func open(
        _ contents: VaultContents,
        _ context: UnlockContext
    ) throws(KeychainError) -> OpenVault {
        do throws(KeychainError) {
            let key = try unlocker.key(of: contents.header, open: vault, context)
            return try OpenVault.decrypt(contents, key: key)
        } catch {
            // The copy may have another passphrase. The header's generation is not authentic, but an old one indicates
            // a rollback.
            let newest = rollback.mark(of: contents.header)?.generation ?? 0
            guard error == .wrongPassphrase, contents.header.generation < newest, !context.acceptsRollback
            else { throw error }
            throw rollback.olderCopy(contents.header)
        }
    }
}

// Changing.
extension VaultState {
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
            // A passphrase prompt may take a while, so the vault is unlocked before the lock is taken.
            var created: OpenVault?
            let existing = vault
            if existing == nil, try current(context) == nil {
                guard createsVault else { throw .notFound("there is no vault \(file.path)") }
                guard !isLockedOnPurpose else { throw .locked("the vault was locked; unlock it first") }
                created = try newVault(context)
            }
            isSaved = try file.withLock(context.token, isCreated: created != nil) {
                (folder) throws(KeychainError) -> Bool? in
                // Another program has created the vault, or changed its key, meanwhile: start again.
                let read = try file.readHeader(in: folder.directory)
                guard read?.header.keyCheck == vault?.header.keyCheck else {
                    close()
                    return nil
                }
                var newest = unchanged(read, context)
                if newest == nil { newest = try current(context, in: folder.directory) ?? created }
                guard var vault = newest else { throw .notFound("the vault \(file.path) no longer exists") }
                let secrets = SlotSecrets(secrets: unlocker.secrets, budget: context.budget)
                guard try change(&vault, secrets) else { return false }
                // The caller may have stopped waiting and assumes that nothing was changed. It may have made another
                // change since.
                try context.token.check()
                // An accepted older copy becomes the newest one, also in the backup: the copy itself would be too old.
                let isAccepted = context.acceptsRollback && rollback.isChanged(vault)
                let seen = isAccepted ? rollback.mark(of: vault.header)?.generation : nil
                try save(&vault, after: seen ?? 0, backup: isAccepted ? .same : backup, in: folder)
                return true
            }
        }
    }

    /// Saves a vault whose lock is held, with a generation after its own and after a given one.
    mutating func save(
        _ vault: inout OpenVault,
        after used: UInt64,
        backup: VaultFile.Backup,
        in folder: VaultFile.LockedFolder
    ) throws(KeychainError) {
        let (generation, isOver) = max(vault.header.generation, used).addingReportingOverflow(1)
        guard !isOver else { throw .overLimit("the vault has reached the maximum number of saves") }
        let bytes = try vault.seal(generation: generation)
        try file.replace(with: bytes, backup: backup, in: folder)
        rollback.noteSave(of: vault)
        self.vault = vault
    }

    /// Creates a vault with one slot, for the first available secret.
    private mutating func newVault(_ context: UnlockContext) throws(KeychainError) -> OpenVault {
        var vault = try OpenVault()
        let secret = try unlocker.secretOfNewVault(context)
        vault.header.slots = [
            try secret.isPassphrase
                ? vault.slot(
                    .passphrase(configuration.argon2idCost),
                    name: "passphrase",
                    under: secret.bytes,
                    context.budget
                )
                : vault.slot(.rawKey, name: "key", under: secret.bytes, context.budget)
        ]
        return vault
    }
}
