// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal

/// The options that name the source of the secret that unlocks the vault, which is never given on the command line
/// itself.
struct PassphraseOptions: ParsableArguments, InputSource {
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

    func validate() throws { try sources.validate() }

    /// The descriptors that are read, as far as their numbers are known.
    var descriptors: [Int32] { sources.descriptors }

    /// The same options, independent of the argument parser.
    var sources: PassphraseSources {
        PassphraseSources(
            descriptor: passphraseFD,
            file: passphraseFile,
            command: passphraseCommand,
            keyFile: vaultKeyFile
        )
    }
}
