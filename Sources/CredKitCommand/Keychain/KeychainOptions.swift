// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

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

    /// The same without the argument parser.
    var settings: KeychainSettings {
        KeychainSettings(
            backend: backend,
            vault: vault,
            collection: collection,
            scheme: scheme,
            passphrase: passphrase.sources,
            prompts: !noPrompt,
            promptTimeout: promptTimeout,
            timeout: timeout
        )
    }

    /// Whom commands may ask at the desktop: whoever sits at one.
    var interaction: Interaction { settings.interaction }

    /// What the command line says about the vault.
    func vaultConfiguration() throws -> VaultConfiguration { try settings.vaultConfiguration() }

    /// The keychain that the command works on, by the attributes of a scheme unless the command line names another.
    func keychain(scheme standard: AttributeScheme = .generic) async throws -> Keychain {
        try await settings.keychain(scheme: standard)
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
}
