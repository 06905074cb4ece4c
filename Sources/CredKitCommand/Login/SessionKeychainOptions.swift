// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// Which keychain login sessions are kept in. It is that of `credkit keychain`, except that a key file which
/// opens the vault has another name here, since a login's key phrase can come from a file, too.
struct SessionKeychainOptions: ParsableArguments {
    @Option(
        help: "Where sessions are kept: auto, secret-service or vault. (default: $CREDKIT_BACKEND, else auto)"
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

    @Option(help: ArgumentHelp("A file descriptor to read the vault's passphrase from.", valueName: "n"))
    var passphraseFD: Int32?

    @Option(
        help: ArgumentHelp("A file with the vault's passphrase; - is standard input.", valueName: "file")
    )
    var passphraseFile: FileArgument?

    @Option(help: ArgumentHelp("A command that prints the vault's passphrase.", valueName: "command"))
    var passphraseCommand: String?

    @Option(
        help: ArgumentHelp("A file with a key that opens the vault, all of its bytes.", valueName: "file")
    )
    var vaultKeyFile: FileArgument?

    @Flag(help: "Ask nobody about the keychain, neither at the terminal nor at the desktop.")
    var noPrompt = false

    @Option(help: ArgumentHelp("How long a person may take to answer: 60s, 5m.", valueName: "time"))
    var promptTimeout: TimeArgument?

    func validate() throws {
        guard vaultKeyFile?.isStandardInput != true else {
            throw ValidationError("--vault-key-file takes a file; for standard input there is /dev/stdin.")
        }
        try passphrase.validate()
    }

    /// The descriptors that are read, as far as they are known by their numbers.
    var descriptors: [Int32] {
        [passphraseFD, passphraseFile?.descriptor, vaultKeyFile?.descriptor].compactMap { $0 }
    }

    /// What opens the vault.
    private var passphrase: PassphraseSources {
        PassphraseSources(
            descriptor: passphraseFD,
            file: passphraseFile,
            command: passphraseCommand,
            keyFile: vaultKeyFile
        )
    }

    /// The keychain.
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
