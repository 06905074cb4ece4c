// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// The options that select the keychain for login sessions. They are those of `credkit keychain`, except that the
/// option for the vault's key file has another name here, because a login's key phrase can come from a file, too.
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

    @Option(help: ArgumentHelp("A file descriptor to read the vault's passphrase from.", valueName: "n"))
    var passphraseFD: Int32?

    @Option(
        help: ArgumentHelp(
            "A file that contains the vault's passphrase; - is standard input.",
            valueName: "file"
        )
    )
    var passphraseFile: FileArgument?

    @Option(help: ArgumentHelp("A command that prints the vault's passphrase.", valueName: "command"))
    var passphraseCommand: String?

    @Option(
        help: ArgumentHelp("A file that contains a key of the vault: all of its bytes.", valueName: "file")
    )
    var vaultKeyFile: FileArgument?

    @Flag(help: "Never prompt for the keychain, neither on the terminal nor on the desktop.")
    var noPrompt = false

    @Option(help: ArgumentHelp("The time limit for answering a prompt: 60s, 5m.", valueName: "time"))
    var promptTimeout: TimeArgument?

    func validate() throws {
        guard vaultKeyFile?.isStandardInput != true else {
            throw ValidationError("--vault-key-file takes a file; use /dev/stdin for standard input.")
        }
        try passphrase.validate()
    }

    /// The descriptors that are read, as far as their numbers are known.
    var descriptors: [Int32] {
        [passphraseFD, passphraseFile?.descriptor, vaultKeyFile?.descriptor].compactMap { $0 }
    }

    /// The sources of the secret that unlocks the vault.
    private var passphrase: PassphraseSources {
        PassphraseSources(
            descriptor: passphraseFD,
            file: passphraseFile,
            command: passphraseCommand,
            keyFile: vaultKeyFile
        )
    }

    /// Opens the keychain.
    func keychain() async throws -> Keychain {
        let settings = KeychainSettings(
            backend: backend,
            vault: vault,
            collection: collection,
            passphrase: passphrase,
            prompts: !noPrompt,
            promptTimeout: promptTimeout
        )
        return try await settings.keychain()
    }
}
