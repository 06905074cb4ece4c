// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal

/// Where the secret comes from that opens the vault. It never stands on the command line.
struct PassphraseOptions: ParsableArguments {
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
    var keyFile: FileArgument?

    func validate() throws {
        try sources.validate()
        guard keyFile?.isStandardInput != true else {
            throw ValidationError("--key-file takes a file; for standard input there is /dev/stdin.")
        }
    }

    /// The descriptors that are read, as far as they are known by their numbers.
    var descriptors: [Int32] {
        [passphraseFD, passphraseFile?.descriptor, keyFile?.descriptor].compactMap { $0 }
    }

    /// The same without the argument parser.
    var sources: PassphraseSources {
        PassphraseSources(
            descriptor: passphraseFD,
            file: passphraseFile,
            command: passphraseCommand,
            keyFile: keyFile
        )
    }
}
