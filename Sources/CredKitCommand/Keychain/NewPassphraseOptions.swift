// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// The options that name the source of a new passphrase: a descriptor, a file, otherwise standard input. A terminal
/// prompt asks twice.
struct NewPassphraseOptions: ParsableArguments, InputSource {
    @Option(help: ArgumentHelp("A file descriptor to read it from.", valueName: "n"))
    var newPassphraseFD: Int32?

    @Option(
        help: ArgumentHelp("A file that contains it; - is standard input.", valueName: "file")
    )
    var newPassphraseFile: FileArgument?

    private var source: SecretSource {
        SecretSource(
            "new-passphrase",
            descriptor: newPassphraseFD,
            file: newPassphraseFile,
            prompt: "New passphrase: "
        )
    }

    func validate() throws { try source.validate() }

    /// Whether the command line names a source of the passphrase.
    var isGiven: Bool { source.isGiven }

    /// The descriptor that the passphrase is read from, if its number is known.
    var descriptors: [Int32] { [source.descriptor].compactMap { $0 } }

    func read() throws -> SecretBytes { try source.read(isNew: true) }
}
