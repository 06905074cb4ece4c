// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal
import Glibc

/// Where a new passphrase comes from: a descriptor, a file, else standard input; it is asked for twice when that is a
/// terminal.
struct NewPassphraseOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file descriptor to read the new passphrase from.", valueName: "n"))
    var newPassphraseFD: Int32?

    @Option(help: ArgumentHelp("A file with the new passphrase; - is standard input.", valueName: "file"))
    var newPassphraseFile: FileArgument?

    func validate() throws {
        guard newPassphraseFD == nil || newPassphraseFile == nil else {
            throw ValidationError("Give one of --new-passphrase-fd and --new-passphrase-file.")
        }
        guard newPassphraseFD ?? 0 >= 0 else {
            throw ValidationError("--new-passphrase-fd takes a number from 0 on.")
        }
    }

    /// Whether the command line says where it is.
    var isGiven: Bool { newPassphraseFD != nil || newPassphraseFile != nil }

    /// Refuses to read it from where something else is read from.
    func refuseSharing(_ descriptors: [Int32]) throws {
        let own = newPassphraseFile.map(\.descriptor) ?? newPassphraseFD ?? STDIN_FILENO
        guard let own, descriptors.contains(own) else { return }
        throw ValidationError("One input cannot be two things: give the new passphrase from somewhere else.")
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
