// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Finds the key of a vault: in memory, in the kernel's keyring, in other stores, and with the secrets of the sources.
struct VaultUnlocker: Sendable {
    let configuration: VaultConfiguration
    let path: String

    /// The secrets that have unlocked the vault, kept for creating its slots again.
    private(set) var secrets: [UnlockSecret] = []

    init(_ configuration: VaultConfiguration, path: String) {
        self.configuration = configuration
        self.path = path
    }

    mutating func forgetSecrets() { secrets = [] }

    /// Remembers a secret that unlocks the vault from now on.
    mutating func remember(_ secret: UnlockSecret) { secrets.append(secret) }

    /// Returns the key of a vault. `open` is the vault that is open now, whose key is used if it is still right.
    mutating func key(
        of header: VaultHeader,
        open vault: OpenVault?,
        _ context: UnlockContext
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
        let (key, secret) = try unlock(header, context)
        secrets = [secret]
        return key
    }

    /// Returns the vault's key, from the first secret that unlocks it.
    private func unlock(
        _ header: VaultHeader,
        _ context: UnlockContext
    ) throws(KeychainError) -> (SecretBytes, UnlockSecret) {
        var tried: [String] = []
        for key in context.storedKeys {
            let secret = try UnlockSecret.key(key, "a key of another store")
            if let opened = try header.open(with: secret, context.budget) { return (opened.key, secret) }
            tried.append("a key of another store")
        }
        var hasPassphrase = false
        for source in configuration.keySources {
            guard let secret = try UnlockSecret.read(source, context),
                !(secret.isPassphrase && hasPassphrase)
            else { continue }
            if let opened = try header.open(with: secret, context.budget) { return (opened.key, secret) }
            hasPassphrase = hasPassphrase || secret.isPassphrase
            tried.append(source.nameForPeople)
        }
        if !hasPassphrase, canAsk, header.slots.contains(where: \.isForPassphrase) {
            return try unlockAsking(header, context)
        }
        guard tried.isEmpty else {
            throw .wrongPassphrase(
                "cannot unlock the vault \(path): wrong passphrase or key. Tried: \(tried.joined(separator: "; "))"
            )
        }
        throw noSecret
    }

    private func unlockAsking(
        _ header: VaultHeader,
        _ context: UnlockContext
    ) throws(KeychainError) -> (SecretBytes, UnlockSecret) {
        for attempt in 1...3 {
            let prompt = (attempt == 1 ? "" : "Wrong passphrase. ") + "Passphrase of the vault: "
            let secret = try UnlockSecret.passphrase(ask(prompt, context))
            if let opened = try header.open(with: secret, context.budget) { return (opened.key, secret) }
        }
        throw .wrongPassphrase("the passphrase is wrong")
    }

    private func ask(_ prompt: String, _ context: UnlockContext) throws(KeychainError) -> SecretBytes {
        try context.asking { () throws(KeychainError) in try TerminalPrompt.ask(prompt, context.token) }
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
        return KeychainError(
            .noPassphrase,
            message: "cannot unlock the vault \(path): no passphrase or key was given. Looked for: "
                + (sources.isEmpty ? "nothing" : sources.joined(separator: "; ")),
            detail: .noSource
        )
    }
}

// Secrets for new slots.
extension VaultUnlocker {
    /// Returns the secret of a new vault: the first available one, or a new passphrase from the terminal.
    mutating func secretOfNewVault(_ context: UnlockContext) throws(KeychainError) -> UnlockSecret {
        let secret = try newSecret(context)
        secrets = [secret]
        return secret
    }

    private func newSecret(_ context: UnlockContext) throws(KeychainError) -> UnlockSecret {
        for source in configuration.keySources {
            if let secret = try UnlockSecret.read(source, context) { return secret }
        }
        guard canAsk else { throw noSecret }
        let passphrase = try ask("New passphrase for the vault \(path): ", context)
        guard try ask("Again: ", context) == passphrase else {
            throw .invalid("the two passphrases differ; nothing was changed")
        }
        return try UnlockSecret.passphrase(passphrase)
    }

    /// Returns all secrets that the sources have now, in addition to those that have unlocked the vault.
    func secretsAtHand(_ context: UnlockContext) throws(KeychainError) -> [UnlockSecret] {
        var all = secrets
        for key in context.storedKeys { all.append(try UnlockSecret.key(key, "a key of another store")) }
        for source in configuration.keySources {
            // A descriptor was read to its end when the vault was unlocked.
            if case .passphraseFileDescriptor = source, !secrets.isEmpty { continue }
            if let secret = try UnlockSecret.read(source, context) { all.append(secret) }
        }
        return all
    }
}
