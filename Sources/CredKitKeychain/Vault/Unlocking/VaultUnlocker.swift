// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem

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
        // A damaged header was refused before: `VaultHeader.init` compares its checksum. What remains is that no
        // secret opened a slot: for `open` of `KeySlot`, none was authentic.
        guard tried.isEmpty else {
            throw .wrongPassphrase(
                "cannot unlock the vault \(path): wrong passphrase or key. Tried: \(tried.joined(separator: "; "))"
            )
        }
        throw noSecret(to: "unlock")
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

    private func noSecret(to action: String) -> KeychainError {
        let sources = configuration.keySources.map { source in
            if case .terminal = source, configuration.promptPolicy.mode != .terminal {
                return source.nameForPeople + " (not allowed here)"
            }
            return source.nameForPeople
        }
        return KeychainError(
            .noPassphrase,
            message: "cannot \(action) the vault \(path): no passphrase or key was given. Looked for: "
                + (sources.isEmpty ? "nothing" : sources.joined(separator: "; ")),
            detail: .noSource
        )
    }
}

// Secrets for new slots.
extension VaultUnlocker {
    /// Creates a vault with one slot: for the first available secret, or a new passphrase from the terminal.
    mutating func newVault(_ context: UnlockContext) throws(KeychainError) -> OpenVault {
        var vault = try OpenVault()
        let secret = try newSecret(context)
        secrets = [secret]
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

    private func newSecret(_ context: UnlockContext) throws(KeychainError) -> UnlockSecret {
        for source in configuration.keySources {
            if let secret = try UnlockSecret.read(source, context) { return secret }
        }
        guard canAsk else { throw noSecret(to: "create") }
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

/// What one call has for unlocking the vault.
struct UnlockContext: Sendable {
    /// Until when the caller waits.
    let token: CancellationToken
    /// The keys that other stores contain for this vault.
    let storedKeys: [SecretBytes]
    /// What all key derivations of the call may cost.
    let budget: DerivationBudget
    /// Whether to accept an older copy, another vault, or none, instead of what this account has seen.
    let acceptsRollback: Bool
    private let promptPolicy: PromptPolicy

    init(
        _ configuration: VaultConfiguration,
        token: CancellationToken,
        storedKeys: [SecretBytes],
        acceptsRollback: Bool
    ) {
        self.token = token
        self.storedKeys = storedKeys
        let limits: DerivationBudget.Limits? = configuration.allowsCostlyKeyDerivation ? nil : .vault
        budget = DerivationBudget(limits, token)
        self.acceptsRollback = configuration.acceptsRollback || acceptsRollback
        promptPolicy = configuration.promptPolicy
    }

    /// Calls `body`, which may wait for a user: the call's deadline is later by the time that the prompt policy grants.
    func asking<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        guard promptPolicy.mode != .never else { return try body() }
        return try token.extended(by: promptPolicy.promptTimeout, body)
    }
}

/// The secrets that a call has, and what trying them may cost.
struct SlotSecrets {
    let secrets: [UnlockSecret]
    let budget: DerivationBudget

    /// Returns for each slot of a vault the secret that opens it, if there is one.
    func opening(
        _ slots: [KeySlot],
        of vaultIdentifier: [UInt8]
    ) throws(KeychainError) -> [UnlockSecret?] {
        var opened: [UnlockSecret?] = []
        for slot in slots {
            var found: UnlockSecret?
            for secret in secrets where found == nil && slot.wants(secret) {
                let key = try slot.open(with: secret.bytes, vaultIdentifier: vaultIdentifier, budget)
                if key != nil { found = secret }
            }
            opened.append(found)
        }
        return opened
    }
}
