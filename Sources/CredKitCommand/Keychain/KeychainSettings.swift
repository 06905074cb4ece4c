// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitKeychain
import CredKitTerminal
import Glibc

/// The settings that select a keychain and control its prompts, read from the command line by ``KeychainOptions`` and
/// others.
struct KeychainSettings {
    /// The backend that stores items; `nil` for the account's own choice.
    var backend: BackendArgument?
    /// The vault's file; `nil` for the standard one.
    var vault: FileArgument?
    /// The Secret Service's collection; `nil` for its default one.
    var collection: String?
    /// The schema of items in the Secret Service; `nil` for that of the command.
    var schema: SecretServiceSchemaArgument?
    /// The sources of the secret that unlocks the vault.
    var passphrase = PassphraseSources()
    /// Whether prompts are allowed, on the terminal or on the desktop.
    var prompts = true
    /// The time limit for answering a prompt; `nil` for the standard limit.
    var promptTimeout: TimeArgument?
    /// The time limit for a call, or for a lock that another program holds; `nil` for the standard limit.
    var timeout: TimeArgument?
    /// Whether key derivations may cost more than the limits.
    var allowsCostlyKeyDerivation = false

    /// Whether and how long commands may prompt on the desktop: only if there is a desktop session.
    var promptPolicy: PromptPolicy {
        let hasDesktop = ["WAYLAND_DISPLAY", "DISPLAY"].contains { (name: String) in
            getenv(name).map { $0[0] != 0 } ?? false
        }
        var promptPolicy: PromptPolicy = hasDesktop && prompts ? .desktop : .never
        if let promptTimeout { promptPolicy.promptTimeout = promptTimeout.duration }
        if let timeout { promptPolicy.timeout = timeout.duration }
        return promptPolicy
    }

    /// The same for a vault, which prompts on the terminal. Without a terminal it does not prompt, but a command that
    /// prints its passphrase may do so on the desktop.
    var vaultInteraction: PromptPolicy {
        var promptPolicy = promptPolicy
        if prompts && TerminalPrompt.isPossible { promptPolicy.mode = .terminal }
        return promptPolicy
    }

    /// Returns the configuration of the vault.
    func vaultConfiguration() throws -> VaultConfiguration {
        var configuration = VaultConfiguration()
        configuration.path = try vault.map { try Self.absolute($0.text()) }
        configuration.keySources =
            try passphrase.all(timeout: timeout?.duration) + [
                .store(SecretServiceStore(collection: collection, promptPolicy: promptPolicy))
            ]
        configuration.promptPolicy = vaultInteraction
        configuration.usesCachedKey = true
        configuration.allowsCostlyKeyDerivation = allowsCostlyKeyDerivation
        return configuration
    }

    /// Opens the keychain, with the schema `standard` unless the command line names another one.
    ///
    /// - Parameters:
    ///   - standard: The schema.
    ///   - vaultConfiguration: The configuration of the vault, if it is already read; `nil` to read it.
    /// - Returns: The keychain.
    /// - Throws: ``CommandFailure`` or ``KeychainError``.
    func keychain(
        schema standard: SecretServiceSchema = .generic,
        vault vaultConfiguration: VaultConfiguration? = nil
    ) async throws -> Keychain {
        var configuration = KeychainConfiguration()
        configuration.backend = backend?.backend
        configuration.promptPolicy = promptPolicy
        configuration.secretServiceCollection = collection
        configuration.secretServiceSchema = schema?.schema ?? standard
        configuration.vault = try vaultConfiguration ?? self.vaultConfiguration()
        configuration.vaultPromptMode = configuration.vault.promptPolicy.mode
        // Naming a vault selects the vault backend.
        if backend == nil && vault != nil { configuration.backend = .vault }
        return try await Keychain.open(configuration)
    }

    /// Opens the keychain for a command that stores nothing. If the command line names a vault, it must exist.
    func existingKeychain() async throws -> Keychain {
        let opened = try await keychain()
        if vault != nil, let store = opened.store as? VaultStore { try await Self.require(store) }
        return opened
    }

    /// Throws ``CommandFailure`` if a vault that the command line names does not exist: it has no items to look for.
    static func require(_ vault: VaultStore) async throws {
        guard access(vault.path, F_OK) != 0, errno == ENOENT || errno == ENOTDIR else { return }
        // One that this account has seen here, or that has a backup, is missing, which the store itself reports.
        let status = try await vault.status()
        guard !status.exists, status.alarm == nil, !status.hasBackup else { return }
        throw CommandFailure(
            .inputOutput,
            "the vault \(vault.path) does not exist; storing an item with 'credkit keychain set' creates it"
        )
    }

    /// Returns the absolute form of a path.
    static func absolute(_ path: String) -> String {
        guard path.utf8.first != UInt8(ascii: "/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }
}
