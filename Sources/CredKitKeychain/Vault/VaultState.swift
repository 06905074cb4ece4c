// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import FoundationEssentials

/// What a ``VaultStore`` knows of its vault. It is used on the store's thread only, one call at a time.
struct VaultState: Sendable {
    let configuration: VaultConfiguration
    let file: VaultFile
    let statePath: String

    private(set) var vault: OpenVault?
    /// The secrets that have opened it, for making its slots anew.
    private(set) var secrets: [SecretSource.Secret] = []
    /// Whether it was locked on purpose, so that nothing opens it but unlocking it.
    var isLockedOnPurpose = false
    private var hasTidied = false

    init(_ configuration: VaultConfiguration) throws(KeychainError) {
        self.configuration = configuration
        file = try VaultFile(path: configuration.resolvedPath())
        statePath = try configuration.resolvedStatePath()
    }

    mutating func close() {
        vault = nil
        secrets = []
    }

    /// Keeps a secret that opens the vault from now on.
    mutating func remember(_ secret: SecretSource.Secret) { secrets.append(secret) }

    // MARK: Reading

    /// The vault as it stands on the disk now, unlocked; `nil` if there is none. The keys are those that other stores have for
    /// it; the folder is opened unless it is open already.
    mutating func current(
        _ token: CallToken,
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
            // A save that was finished since the file was read explains an older one as well.
            if isOlder(contents.header, contents.headerBytes), !configuration.acceptsOlderCopy {
                guard contents.headerBytes != previous else { throw olderCopy }
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

    /// The vault that is open, if the file begins with its header.
    private func unchanged(_ read: (header: VaultHeader, bytes: [UInt8])?) -> OpenVault? {
        guard let vault, let read, read.bytes == vault.headerBytes else { return nil }
        // What was open all the time may be older than what another program has saved since, too.
        return configuration.acceptsOlderCopy || !isOlder(read.header, read.bytes) ? vault : nil
    }

    /// Opens another file than the vault's own: its backup.
    mutating func open(
        _ contents: VaultFile.Contents,
        _ token: CallToken,
        keys: [SecretBytes]
    ) throws(KeychainError) -> OpenVault {
        do throws(KeychainError) {
            return try OpenVault(contents, key: key(of: contents.header, token, keys: keys))
        } catch {
            // Its passphrase may have been another one. What the header says is not authentic, but no good sign either.
            let newest = mark(of: contents.header)?.generation ?? 0
            guard error == .wrongPassphrase, contents.header.generation < newest,
                !configuration.acceptsOlderCopy
            else { throw error }
            throw olderCopy
        }
    }

    private var olderCopy: KeychainError {
        .olderCopy(
            "the vault \(file.path) is an older copy than the one that this account has used before: it was put back, or a "
                + "file system lost what was written. What was stored since is not in it. If that is as it should be: "
                + "'credkit keychain repair --accept-older-copy'"
        )
    }

    private func isOlder(_ header: VaultHeader, _ headerBytes: [UInt8]) -> Bool {
        guard let mark = mark(of: header) else { return false }
        let own = HighWaterMark(generation: header.generation, headerBytes: headerBytes)
        return own.generation < mark.generation || (own.generation == mark.generation && own != mark)
    }

    func mark(of header: VaultHeader) -> HighWaterMark? {
        HighWaterMark.read(vaultIdentifier: header.identifier, in: statePath)
    }

    /// Remembers a vault that another account or machine has saved. Readers hold no lock: where somebody writes, the
    /// mark is left to them.
    private func raiseMark(_ vault: OpenVault) {
        func isNewer() -> Bool { (mark(of: vault.header)?.generation ?? 0) < vault.header.generation }
        guard isNewer() else { return }
        file.withLockIfFree {
            // Somebody may have saved since.
            guard isNewer() else { return }
            HighWaterMark(generation: vault.header.generation, headerBytes: vault.headerBytes)
                .write(vaultIdentifier: vault.header.identifier, in: statePath)
        }
    }

    private mutating func key(
        of header: VaultHeader,
        _ token: CallToken,
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

    /// The vault's key from the first secret that opens it.
    private func unlock(
        _ header: VaultHeader,
        _ token: CallToken,
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
                "the vault \(file.path) is not opened by \(tried.joined(separator: ", nor by "))"
            )
        }
        throw noSecret
    }

    private var canAsk: Bool {
        configuration.interaction.prompting == .terminal
            && configuration.keySources.contains { if case .terminal = $0 { true } else { false } }
    }

    private var noSecret: KeychainError {
        let sources = configuration.keySources.map { source in
            if case .terminal = source, configuration.interaction.prompting != .terminal {
                return source.nameForPeople + " (not allowed here)"
            }
            return source.nameForPeople
        }
        return .noPassphrase(
            "nothing opens the vault \(file.path). Looked for: "
                + (sources.isEmpty ? "nothing" : sources.joined(separator: "; "))
        )
    }

    // MARK: Changing

    /// Changes the vault while no other program does, and saves it unless `change` answers `false`. One that is not there is
    /// created if `createsVault` says so.
    mutating func update(
        _ token: CallToken,
        keys: [SecretBytes],
        backup: VaultFile.Backup = .previous,
        createsVault: Bool = false,
        _ change: (inout OpenVault, [SecretSource.Secret]) throws(KeychainError) -> Bool
    ) throws(KeychainError) {
        let file = file
        var isSaved: Bool?
        while isSaved == nil {
            // Whoever is asked for a passphrase may take a while, so it is done before the lock is taken.
            var created: OpenVault?
            let existing = vault
            if existing == nil, try current(token, keys: keys) == nil {
                guard createsVault else { throw .notFound("there is no vault \(file.path)") }
                guard !isLockedOnPurpose else { throw .locked("the vault was locked; unlock it first") }
                created = try newVault(token)
            }
            let patience = configuration.interaction.callDeadline
            isSaved = try file.withLock(token, patience: patience, isCreated: created != nil) {
                (folder) throws(KeychainError) -> Bool? in
                // Somebody has made it, or changed its key, in the meantime: once more from the start.
                let read = try file.readHeader(in: folder.directory)
                guard read?.header.keyCheck == vault?.header.keyCheck else {
                    close()
                    return nil
                }
                var newest = unchanged(read)
                if newest == nil { newest = try current(token, keys: keys, in: folder.directory) ?? created }
                guard var vault = newest else { throw .notFound("the vault \(file.path) is gone") }
                guard try change(&vault, secrets) else { return false }
                // Whoever has been told that it was not done may have done something else since.
                try token.check()
                try save(
                    &vault,
                    backup: backup,
                    in: folder,
                    isOlderCopy: configuration.acceptsOlderCopy
                )
                return true
            }
        }
    }

    /// Saves a vault, whose lock is held. An older copy than the newest that was seen is the newest afterwards.
    mutating func save(
        _ vault: inout OpenVault,
        backup: VaultFile.Backup,
        in folder: VaultFile.LockedFolder,
        isOlderCopy: Bool
    ) throws(KeychainError) {
        var newest = vault.header.generation
        if isOlderCopy, let mark = mark(of: vault.header) { newest = max(newest, mark.generation) }
        let (generation, isOver) = newest.addingReportingOverflow(1)
        guard !isOver else { throw .overLimit("the vault was saved too often") }
        let bytes = try vault.seal(generation: generation)
        try file.replace(with: bytes, backup: backup, in: folder)
        HighWaterMark(generation: generation, headerBytes: vault.headerBytes)
            .write(vaultIdentifier: vault.header.identifier, in: statePath)
        self.vault = vault
    }

    /// A vault with one slot, for the first secret that there is.
    private mutating func newVault(_ token: CallToken) throws(KeychainError) -> OpenVault {
        var vault = try OpenVault()
        let secret = try newSecret(token)
        vault.header.slots = [
            try secret.isPassphrase
                ? vault.slot(
                    .passphrase(configuration.keyDerivation),
                    name: "passphrase",
                    under: secret.bytes
                )
                : vault.slot(.rawKey, name: "key", under: secret.bytes)
        ]
        secrets = [secret]
        return vault
    }

    private func newSecret(_ token: CallToken) throws(KeychainError) -> SecretSource.Secret {
        for source in configuration.keySources {
            if let secret = try SecretSource.read(source, token) { return secret }
        }
        guard canAsk else { throw noSecret }
        return try SecretSource.passphrase(askForNewPassphrase(token))
    }

    private func askForNewPassphrase(_ token: CallToken) throws(KeychainError) -> SecretBytes {
        let passphrase = try TerminalPrompt.ask("New passphrase for the vault \(file.path): ", token)
        guard try TerminalPrompt.ask("Again: ", token) == passphrase else {
            throw .invalid("the two passphrases differ; nothing was done")
        }
        return passphrase
    }

    /// All secrets that the sources have now, besides those that have opened the vault.
    func secretsAtHand(_ token: CallToken, keys: [SecretBytes]) throws(KeychainError) -> [SecretSource.Secret]
    {
        var all = secrets
        for key in keys { all.append(try SecretSource.key(key, "a key of another store")) }
        for source in configuration.keySources {
            // A descriptor was read to its end when the vault was opened.
            if case .passphraseDescriptor = source, !secrets.isEmpty { continue }
            if let secret = try SecretSource.read(source, token) { all.append(secret) }
        }
        return all
    }
}

extension KeySlot {
    var isForPassphrase: Bool { if case .passphrase = kind { true } else { false } }
}
