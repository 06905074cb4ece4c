// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal
import Glibc

/// Where an archive's passphrase comes from: a descriptor, a file, else standard input, without echo at a terminal.
struct ArchiveOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file descriptor to read the archive's passphrase from.", valueName: "n"))
    var archivePassphraseFD: Int32?

    @Option(
        help: ArgumentHelp("A file with the archive's passphrase; - is standard input.", valueName: "file")
    )
    var archivePassphraseFile: FileArgument?

    func validate() throws {
        guard archivePassphraseFD == nil || archivePassphraseFile == nil else {
            throw ValidationError("Give one of --archive-passphrase-fd and --archive-passphrase-file.")
        }
        guard archivePassphraseFD ?? 0 >= 0 else {
            throw ValidationError("--archive-passphrase-fd takes a number from 0 on.")
        }
    }

    /// Refuses to read it from where something else is read from.
    func refuseSharing(_ descriptors: [Int32]) throws {
        let own = archivePassphraseFile.map(\.descriptor) ?? archivePassphraseFD ?? STDIN_FILENO
        guard let own, descriptors.contains(own) else { return }
        throw ValidationError(
            "One input cannot be two things: give the archive's passphrase from somewhere else."
        )
    }

    func read(isNew: Bool) throws -> SecretBytes {
        let source = try SecretReader(
            file: archivePassphraseFile,
            descriptor: archivePassphraseFD,
            option: "--archive-passphrase-fd",
            prompt: isNew ? "New passphrase of the archive: " : "Passphrase of the archive: "
        )
        return try isNew ? source.readNew(keepsLineFeed: false) : source.readAll(keepsLineFeed: false)
    }
}
