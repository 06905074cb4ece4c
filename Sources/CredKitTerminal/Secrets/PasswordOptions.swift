// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import CredKit
import Glibc

/// Where a password comes from. It never stands on the command line.
package struct PasswordOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file descriptor to read the password from, to its end.", valueName: "n"))
    package var passwordFD: Int32?

    @Option(help: ArgumentHelp("A file with the password; - is standard input.", valueName: "file"))
    package var passwordFile: FileArgument?

    @Flag(help: "Keep a line feed at the end, which is dropped otherwise.")
    package var raw = false

    /// The descriptor that the password is read from, if it is known by its number.
    package var descriptor: Int32? {
        if let passwordFile { return passwordFile.descriptor }
        return passwordFD ?? STDIN_FILENO
    }

    package init() {}

    package func validate() throws {
        guard passwordFD == nil || passwordFile == nil else {
            throw ValidationError("Give one of --password-fd and --password-file.")
        }
        guard passwordFD ?? 0 >= 0 else { throw ValidationError("--password-fd takes a number from 0 on.") }
    }

    /// Refuses to read the password from where something else is read from.
    package func refuseSharing(_ descriptors: [Int32]) throws {
        let all = descriptors + [descriptor].compactMap { $0 }
        guard Set(all).count == all.count else {
            throw ValidationError(
                "One input cannot be two things: give the password, the hash and each key from somewhere else."
            )
        }
    }

    /// The password: from the descriptor or file that was named, else from standard input; asked for when that
    /// is a terminal.
    ///
    /// - Parameter isNew: Whether it is being set, so that a slip of the finger would go unnoticed: it is asked
    ///   for twice then.
    /// - Returns: The password without the line feed behind it, unless that is to be kept.
    /// - Throws: ``CommandFailure`` when it cannot be read, is too long, or differs the second time.
    package func read(isNew: Bool) throws -> SecretBytes {
        let source = try SecretReader(
            file: passwordFile,
            descriptor: passwordFD,
            option: "--password-fd",
            prompt: "Password: "
        )
        return try isNew ? source.readNew(keepsLineFeed: raw) : source.readAll(keepsLineFeed: raw)
    }
}
