// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal
import Glibc

/// The options that name the source of an archive's passphrase: a descriptor, a file, otherwise standard input, without
/// echo on a terminal.
struct ArchiveOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file descriptor to read the archive's passphrase from.", valueName: "n"))
    var archivePassphraseFD: Int32?

    @Option(
        help: ArgumentHelp(
            "A file that contains the archive's passphrase; - is standard input.",
            valueName: "file"
        )
    )
    var archivePassphraseFile: FileArgument?

    func validate() throws {
        guard archivePassphraseFD == nil || archivePassphraseFile == nil else {
            throw ValidationError("Give only one of --archive-passphrase-fd and --archive-passphrase-file.")
        }
        guard archivePassphraseFD ?? 0 >= 0 else {
            throw ValidationError("--archive-passphrase-fd must be 0 or greater.")
        }
    }

    /// Rejects a command line that reads the passphrase and another value from the same descriptor.
    func refuseSharing(_ descriptors: [Int32]) throws {
        let own = archivePassphraseFile.map(\.descriptor) ?? archivePassphraseFD ?? STDIN_FILENO
        guard let own, descriptors.contains(own) else { return }
        throw ValidationError(
            "Two values cannot come from the same input: use another source for the archive's passphrase."
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
