// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import FoundationEssentials

/// The state of a ``VaultStore``. It is used on the store's thread only, by one call at a time.
struct VaultState: Sendable {
    let configuration: VaultConfiguration
    let file: VaultFile
    let stateDirectory: String

    private(set) var vault: OpenVault?
    /// The secrets that have unlocked the vault, kept for creating its slots again.
    private(set) var secrets: [SecretSource.Secret] = []
    /// Whether the vault was locked by ``VaultStore/lock()``, so that only ``VaultStore/unlock()`` unlocks it.
    var isLockedOnPurpose = false
    private var hasTidied = false

    init(_ configuration: VaultConfiguration) throws(KeychainError) {
        self.configuration = configuration
        file = try VaultFile(path: configuration.resolvedPath())
        stateDirectory = try configuration.resolvedStateDirectory()
    }

    mutating func close() {
        vault = nil
        secrets = []
    }

    /// Remembers a secret that unlocks the vault from now on.
    mutating func remember(_ secret: SecretSource.Secret) { secrets.append(secret) }

    // MARK: Reading

    /// Returns the unlocked vault in its current state on the disk; `nil` if there is none. `keys` are the keys that
    /// other stores contain for it. Opens the folder unless it is passed.
    mutating func current(
        _ token: CancellationToken,
        keys: [SecretBytes],
        in directory: PrivateDirectory? = nil
    ) throws(KeychainError) -> OpenVault? {
        if !hasTidied {
            file.removeLeftovers()
            hasTidied = true
        }
        if vault != nil, let vault = try unchanged(file.readHeader(in: directory)) { return vault }
        guard !isLockedOnPurpose else {
            throw .locked("the vault was locked; unlock it first")
        }
        var previous: [UInt8]?
        while let contents = try file.read(in: directory) {
            let opened = try open(contents, token, keys: keys)
            // The copy also looks older if another program has saved the vault since this file was read.
            if isOlder(contents.header, contents.headerBytes), !configuration.acceptsRollback {
                guard contents.headerBytes != previous else { throw rollbackDetected }
                previous = contents.headerBytes
                continue
            }
            vault = opened
            raiseMark(opened)
            return opened
        }
        close()
        return nil
    }

    /// Returns the open vault, if the file still begins with its header.
    private func unchanged(_ read: (header: VaultHeader, bytes: [UInt8])?) -> OpenVault? {
        guard let vault, let read, read.bytes == vault.headerBytes else { return nil }
        // A vault that was open all the time may also be older than a state that another program has saved since.
        return configuration.acceptsRollback || !isOlder(read.header, read.bytes) ? vault : nil
    }

    /// Opens another file than the vault's own: its backup.
    mutating func open(
        _ contents: VaultFile.Contents,
        _ token: CancellationToken,
        keys: [SecretBytes]
    ) throws(KeychainError) -> OpenVault {
        do throws(KeychainError) {
            return try OpenVault.decrypt(contents, key: key(of: contents.header, token, keys: keys))
        } catch {
            // The copy may have another passphrase. The header's generation is not authentic, but an old one indicates
            // a rollback.
            let newest = mark(of: contents.header)?.generation ?? 0
            guard error == .wrongPassphrase, contents.header.generation < newest,
                !configuration.acceptsRollback
            else { throw error }
            throw rollbackDetected
        }
    }

    private var rollbackDetected: KeychainError {
        .rollbackDetected(
            "the vault \(file.path) is an older copy than the one that this account has used before: it was rolled "
                + "back, or a file system lost a save. Items that were stored since are missing. To accept this "
                + "copy, run 'credkit keychain repair --accept-older-copy'"
        )
    }

    private func isOlder(_ header: VaultHeader, _ headerBytes: [UInt8]) -> Bool {
        guard let mark = mark(of: header) else { return false }
        let own = RollbackGuard(generation: header.generation, headerBytes: headerBytes)
        return own.generation < mark.generation || (own.generation == mark.generation && own != mark)
    }

    func mark(of header: VaultHeader) -> RollbackGuard? {
        RollbackGuard.read(vaultIdentifier: header.identifier, in: stateDirectory)
    }

    /// Remembers a vault that another account or machine has saved. Readers hold no lock: if another program is
    /// writing, that program updates the mark.
    private func raiseMark(_ vault: OpenVault) {
        func isNewer() -> Bool { (mark(of: vault.header)?.generation ?? 0) < vault.header.generation }
        guard isNewer() else { return }
        file.withLockIfFree {
            // Another program may have saved since.
            guard isNewer() else { return }
            RollbackGuard(generation: vault.header.generation, headerBytes: vault.headerBytes)
                .write(vaultIdentifier: vault.header.identifier, in: stateDirectory)
        }
    }

    private mutating func key(
        of header: VaultHeader,
        _ token: CancellationToken,
        keys: [SecretBytes]
    ) throws(KeychainError) -> SecretBytes {
        func isRight(_ key: SecretBytes) throws(KeychainError) -> Bool {
            try VaultHeader.keyCheck(of: key, identifier: header.identifier) == header.keyCheck
        }
        if let vault, vault.header.identifier == header.identifier, try isRight(vault.key) {
            return vault.key
        }
        if configuration.usesCachedKey, let key = VaultKeyCache.read(vaultIdentifier: header.identifier),
            try isRight(key)
        {
            return key
        }
        let (key, secret) = try unlock(header, token, keys: keys)
        secrets = [secret]
        return key
    }

    /// Returns the vault's key, from the first secret that unlocks it.
    private func unlock(
        _ header: VaultHeader,
        _ token: CancellationToken,
        keys: [SecretBytes]
    ) throws(KeychainError) -> (SecretBytes, SecretSource.Secret) {
        var tried: [String] = []
        for key in keys {
            let secret = try SecretSource.key(key, "a key of another store")
            if let opened = try header.open(with: secret, token) { return (opened.key, secret) }
            tried.append("a key of another store")
        }
        var hasPassphrase = false
        for source in configuration.keySources {
            guard let secret = try SecretSource.read(source, token), !(secret.isPassphrase && hasPassphrase)
            else {
                continue
            }
            if let opened = try header.open(with: secret, token) { return (opened.key, secret) }
            hasPassphrase = hasPassphrase || secret.isPassphrase
            tried.append(source.nameForPeople)
        }
        if !hasPassphrase, canAsk, header.slots.contains(where: \.isForPassphrase) {
            for attempt in 1...3 {
                let prompt = (attempt == 1 ? "" : "Wrong passphrase. ") + "Passphrase of the vault: "
                let secret = try SecretSource.passphrase(TerminalPrompt.ask(prompt, token))
                if let opened = try header.open(with: secret, token) { return (opened.key, secret) }
            }
            throw .wrongPassphrase("the passphrase is wrong")
        }
        guard tried.isEmpty else {
            throw .wrongPassphrase(
                "cannot unlock the vault \(file.path): wrong passphrase or key. Tried: \(tried.joined(separator: "; "))"
            )
        }
        throw noSecret
    }

    private var canAsk: Bool {
        configuration.promptPolicy.mode == .terminal
            && configuration.keySources.contains { if case .terminal = $0 { true } else { false } }
    }

    private var noSecret: KeychainError {
        let sources = configuration.keySources.map { source in
            if case .terminal = source, configuration.promptPolicy.mode != .terminal {
                return source.nameForPeople + " (not allowed here)"
            }
            return source.nameForPeople
        }
        return .noPassphrase(
            "cannot unlock the vault \(file.path): no passphrase or key was given. Looked for: "
                + (sources.isEmpty ? "nothing" : sources.joined(separator: "; "))
        )
    }

    // MARK: Changing

    /// Changes the vault while no other program can, and saves it unless `change` returns `false`. If the vault does
    /// not exist and `createsVault` is true, it is created.
    mutating func update(
        _ token: CancellationToken,
        keys: [SecretBytes],
        backup: VaultFile.Backup = .previous,
        createsVault: Bool = false,
        _ change: (inout OpenVault, [SecretSource.Secret]) throws(KeychainError) -> Bool
    ) throws(KeychainError) {
        let file = file
        var isSaved: Bool?
        while isSaved == nil {
            // A passphrase prompt may take a while, so the vault is unlocked before the lock is taken.
            var created: OpenVault?
            let existing = vault
            if existing == nil, try current(token, keys: keys) == nil {
                guard createsVault else { throw .notFound("there is no vault \(file.path)") }
                guard !isLockedOnPurpose else { throw .locked("the vault was locked; unlock it first") }
                created = try newVault(token)
            }
            let patience = configuration.promptPolicy.timeout
            isSaved = try file.withLock(token, patience: patience, isCreated: created != nil) {
                (folder) throws(KeychainError) -> Bool? in
                // Another program has created the vault, or changed its key, meanwhile: start again.
                let read = try file.readHeader(in: folder.directory)
                guard read?.header.keyCheck == vault?.header.keyCheck else {
                    close()
                    return nil
                }
                var newest = unchanged(read)
                if newest == nil { newest = try current(token, keys: keys, in: folder.directory) ?? created }
                guard var vault = newest else { throw .notFound("the vault \(file.path) no longer exists") }
                guard try change(&vault, secrets) else { return false }
                // The caller may have stopped waiting and assumes that nothing was changed. It may have made another
                // change since.
                try token.check()
                try save(
                    &vault,
                    backup: backup,
                    in: folder,
                    isOlderCopy: configuration.acceptsRollback
                )
                return true
            }
        }
    }

    /// Saves a vault whose lock is held. An older copy becomes the newest one.
    mutating func save(
        _ vault: inout OpenVault,
        backup: VaultFile.Backup,
        in folder: VaultFile.LockedFolder,
        isOlderCopy: Bool
    ) throws(KeychainError) {
        var newest = vault.header.generation
        if isOlderCopy, let mark = mark(of: vault.header) { newest = max(newest, mark.generation) }
        let (generation, isOver) = newest.addingReportingOverflow(1)
        guard !isOver else { throw .overLimit("the vault has reached the maximum number of saves") }
        let bytes = try vault.seal(generation: generation)
        try file.replace(with: bytes, backup: backup, in: folder)
        RollbackGuard(generation: generation, headerBytes: vault.headerBytes)
            .write(vaultIdentifier: vault.header.identifier, in: stateDirectory)
        self.vault = vault
    }

    /// Creates a vault with one slot, for the first available secret.
    private mutating func newVault(_ token: CancellationToken) throws(KeychainError) -> OpenVault {
        var vault = try OpenVault()
        let secret = try newSecret(token)
        vault.header.slots = [
            try secret.isPassphrase
                ? vault.slot(
                    .passphrase(configuration.argon2idCost),
                    name: "passphrase",
                    under: secret.bytes
                )
                : vault.slot(.rawKey, name: "key", under: secret.bytes)
        ]
        secrets = [secret]
        return vault
    }

    private func newSecret(_ token: CancellationToken) throws(KeychainError) -> SecretSource.Secret {
        for source in configuration.keySources {
            if let secret = try SecretSource.read(source, token) { return secret }
        }
        guard canAsk else { throw noSecret }
        return try SecretSource.passphrase(askForNewPassphrase(token))
    }

    private func askForNewPassphrase(_ token: CancellationToken) throws(KeychainError) -> SecretBytes {
        let passphrase = try TerminalPrompt.ask("New passphrase for the vault \(file.path): ", token)
        guard try TerminalPrompt.ask("Again: ", token) == passphrase else {
            throw .invalid("the two passphrases differ; nothing was changed")
        }
        return passphrase
    }

    /// Returns all secrets that the sources have now, in addition to those that have unlocked the vault.
    func secretsAtHand(_ token: CancellationToken, keys: [SecretBytes]) throws(KeychainError) -> [SecretSource
        .Secret]
    {
        var all = secrets
        for key in keys { all.append(try SecretSource.key(key, "a key of another store")) }
        for source in configuration.keySources {
            // A descriptor was read to its end when the vault was unlocked.
            if case .passphraseFileDescriptor = source, !secrets.isEmpty { continue }
            if let secret = try SecretSource.read(source, token) { all.append(secret) }
        }
        return all
    }
}

extension KeySlot {
    var isForPassphrase: Bool { if case .passphrase = kind { true } else { false } }
}
