// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal
import Glibc

/// The options that name the source of a new passphrase: a descriptor, a file, otherwise standard input. A terminal
/// prompt asks twice.
struct NewPassphraseOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file descriptor to read the new passphrase from.", valueName: "n"))
    var newPassphraseFD: Int32?

    @Option(
        help: ArgumentHelp("A file that contains the new passphrase; - is standard input.", valueName: "file")
    )
    var newPassphraseFile: FileArgument?

    func validate() throws {
        guard newPassphraseFD == nil || newPassphraseFile == nil else {
            throw ValidationError("Give only one of --new-passphrase-fd and --new-passphrase-file.")
        }
        guard newPassphraseFD ?? 0 >= 0 else {
            throw ValidationError("--new-passphrase-fd must be 0 or greater.")
        }
    }

    /// Whether the command line names a source of the passphrase.
    var isGiven: Bool { newPassphraseFD != nil || newPassphraseFile != nil }

    /// Rejects a command line that reads the passphrase and another value from the same descriptor.
    func refuseSharing(_ descriptors: [Int32]) throws {
        let own = newPassphraseFile.map(\.descriptor) ?? newPassphraseFD ?? STDIN_FILENO
        guard let own, descriptors.contains(own) else { return }
        throw ValidationError(
            "Two values cannot come from the same input: use another source for the new passphrase."
        )
    }

    func read() throws -> SecretBytes {
        let source = try SecretReader(
            file: newPassphraseFile,
            descriptor: newPassphraseFD,
            option: "--new-passphrase-fd",
            prompt: "New passphrase: "
        )
        return try source.readNew(keepsLineFeed: false)
    }
}
