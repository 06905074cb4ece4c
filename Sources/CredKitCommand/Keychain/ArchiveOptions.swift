// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// The options that name the source of an archive's passphrase: a descriptor, a file, otherwise standard input, without
/// echo on a terminal.
struct ArchiveOptions: ParsableArguments, InputSource {
    @Option(help: ArgumentHelp("A file descriptor to read the archive's passphrase from.", valueName: "n"))
    var archivePassphraseFD: Int32?

    @Option(
        help: ArgumentHelp(
            "A file that contains the archive's passphrase; - is standard input.",
            valueName: "file"
        )
    )
    var archivePassphraseFile: FileArgument?

    private func source(prompt: String = "") -> SecretSource {
        SecretSource(
            "archive-passphrase",
            descriptor: archivePassphraseFD,
            file: archivePassphraseFile,
            prompt: prompt
        )
    }

    func validate() throws { try source().validate() }

    /// The descriptor that the passphrase is read from, if its number is known.
    var descriptors: [Int32] { [source().descriptor].compactMap { $0 } }

    func read(isNew: Bool) throws -> SecretBytes {
        try source(prompt: isNew ? "New passphrase of the archive: " : "Passphrase of the archive: ")
            .read(isNew: isNew)
    }
}
