// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal
import Glibc

/// Which keychain a command works on, and who may be asked.
struct KeychainOptions: ParsableArguments {
    @Option(
        help: "Where items are kept: auto, secret-service or vault. (default: $CREDKIT_BACKEND, else auto)"
    )
    var backend: BackendArgument?

    @Option(
        help: ArgumentHelp(
            "The vault's file. (default: $CREDKIT_VAULT, else ~/.local/share/credkit/keychain.vault)",
            valueName: "path"
        )
    )
    var vault: FileArgument?

    @Option(
        help: ArgumentHelp("The Secret Service's collection instead of its default one.", valueName: "name")
    )
    var collection: String?

    @Option(help: "Whose attributes items have in the Secret Service: generic, keytar, git or docker.")
    var scheme: AttributeSchemeArgument?

    @OptionGroup
    var passphrase: PassphraseOptions

    @Flag(help: "Ask nobody, neither at the terminal nor at the desktop.")
    var noPrompt = false

    @Option(help: ArgumentHelp("How long a person may take to answer: 60s, 5m.", valueName: "time"))
    var promptTimeout: TimeArgument?

    @Option(
        help: ArgumentHelp("How long a call may take, or a lock that others hold: 5s.", valueName: "time")
    )
    var timeout: TimeArgument?

    /// The descriptors that are read, as far as they are known by their numbers.
    var descriptors: [Int32] { passphrase.descriptors }

    /// Whom commands may ask at the desktop: whoever sits at one.
    var interaction: Interaction {
        let hasDesktop = ["WAYLAND_DISPLAY", "DISPLAY"].contains { (name: String) in
            getenv(name).map { $0[0] != 0 } ?? false
        }
        var interaction: Interaction = hasDesktop && !noPrompt ? .desktop : .never
        if let promptTimeout { interaction.promptDeadline = promptTimeout.duration }
        if let timeout { interaction.callDeadline = timeout.duration }
        return interaction
    }

    /// The same for a vault, which asks at the terminal.
    var vaultInteraction: Interaction {
        var interaction = interaction
        interaction.prompting = !noPrompt && TerminalPrompt.isPossible ? .terminal : .never
        return interaction
    }

    /// What the command line says about the vault.
    func vaultConfiguration() throws -> VaultConfiguration {
        var configuration = VaultConfiguration()
        configuration.path = try vault.map { try Self.absolute($0.text()) }
        configuration.keySources =
            try passphrase.sources() + [
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

    /// The vault itself, for what only a vault has.
    func vaultStore(_ change: (inout VaultConfiguration) -> Void = { _ in }) throws -> VaultStore {
        guard backend?.backend != .secretService else {
            throw ValidationError("This is about the vault; the Secret Service has nothing like it.")
        }
        var configuration = try vaultConfiguration()
        change(&configuration)
        return try VaultStore(configuration)
    }

    /// The Secret Service itself.
    func secretService() -> SecretServiceStore {
        SecretServiceStore(
            collection: collection,
            scheme: scheme?.scheme ?? .generic,
            interaction: interaction
        )
    }

    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let folder = getcwd(nil, 0) else { return path }
        defer { free(folder) }
        return String(cString: folder) + "/" + path
    }
}
