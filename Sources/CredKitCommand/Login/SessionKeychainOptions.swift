// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// The options that select the keychain for login sessions: those of `credkit keychain`, without the schema and the time
/// limit of a call, because `--timeout` is the request's here.
struct SessionKeychainOptions: ParsableArguments, InputSource {
    @Option(
        help:
            "The backend that stores sessions: auto, secret-service or vault. (default: $CREDKIT_BACKEND, else auto)"
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
        help: ArgumentHelp(
            "The collection of the Secret Service to use instead of the default one.",
            valueName: "name"
        )
    )
    var collection: String?

    @OptionGroup
    var passphrase: PassphraseOptions

    @Flag(help: "Never prompt for the keychain, neither on the terminal nor on the desktop.")
    var noPrompt = false

    @Option(help: ArgumentHelp("The time limit for answering a prompt: 60s, 5m.", valueName: "time"))
    var promptTimeout: TimeArgument?

    /// The descriptors that are read, as far as their numbers are known.
    var descriptors: [Int32] { passphrase.descriptors }

    /// Opens the keychain.
    func keychain() async throws -> Keychain {
        let settings = KeychainSettings(
            backend: backend,
            vault: vault,
            collection: collection,
            passphrase: passphrase.sources,
            prompts: !noPrompt,
            promptTimeout: promptTimeout
        )
        return try await settings.keychain()
    }
}
