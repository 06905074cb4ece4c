// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitKeychain
import CredKitTerminal
import Glibc

/// Which keychain a command works on, and who may be asked: what ``KeychainOptions`` and others read off the command line.
struct KeychainSettings {
    /// Where items are kept; `nil` for the account's own choice.
    var backend: BackendArgument?
    /// The vault's file; `nil` for the standard one.
    var vault: FileArgument?
    /// The Secret Service's collection; `nil` for its default one.
    var collection: String?
    /// Whose attributes items have in the Secret Service; `nil` for those of the command.
    var scheme: AttributeSchemeArgument?
    /// What opens the vault.
    var passphrase = PassphraseSources()
    /// Whether a person may be asked, at the terminal or at the desktop.
    var prompts = true
    /// How long a person may take to answer; `nil` for the standard time.
    var promptTimeout: TimeArgument?
    /// How long a call may take, or a lock that others hold; `nil` for the standard time.
    var timeout: TimeArgument?

    /// Whom commands may ask at the desktop: whoever sits at one.
    var interaction: Interaction {
        let hasDesktop = ["WAYLAND_DISPLAY", "DISPLAY"].contains { (name: String) in
            getenv(name).map { $0[0] != 0 } ?? false
        }
        var interaction: Interaction = hasDesktop && prompts ? .desktop : .never
        if let promptTimeout { interaction.promptDeadline = promptTimeout.duration }
        if let timeout { interaction.callDeadline = timeout.duration }
        return interaction
    }

    /// The same for a vault, which asks at the terminal.
    var vaultInteraction: Interaction {
        var interaction = interaction
        interaction.prompting = prompts && TerminalPrompt.isPossible ? .terminal : .never
        return interaction
    }

    /// What the command line says about the vault.
    func vaultConfiguration() throws -> VaultConfiguration {
        var configuration = VaultConfiguration()
        configuration.path = try vault.map { try Self.absolute($0.text()) }
        configuration.keySources =
            try passphrase.all() + [
                .store(SecretServiceStore(collection: collection, interaction: interaction))
            ]
        configuration.interaction = vaultInteraction
        configuration.usesCachedKey = true
        return configuration
    }

    /// The keychain that the command works on, by the attributes of a scheme unless the command line names another.
    func keychain(scheme standard: AttributeScheme = .generic) async throws -> Keychain {
        var configuration = KeychainConfiguration()
        configuration.backend = backend?.backend
        configuration.interaction = interaction
        configuration.collection = collection
        configuration.attributeScheme = scheme?.scheme ?? standard
        configuration.vault = try vaultConfiguration()
        configuration.vaultPrompting = configuration.vault.interaction.prompting
        // A vault that is named is meant.
        if backend == nil && vault != nil { configuration.backend = .vault }
        return try await Keychain.open(configuration)
    }

    /// A path from the root on.
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }
}
