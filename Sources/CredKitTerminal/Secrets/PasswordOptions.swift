// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import CredKit
import Glibc

/// The options that name the source of a password, which is never given on the command line itself.
package struct PasswordOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file descriptor to read the password from, to its end.", valueName: "n"))
    package var passwordFD: Int32?

    @Option(help: ArgumentHelp("A file that contains the password; - is standard input.", valueName: "file"))
    package var passwordFile: FileArgument?

    @Flag(help: "Keep a trailing line feed, which is dropped by default.")
    package var raw = false

    /// The descriptor that the password is read from, if its number is known.
    package var descriptor: Int32? {
        if let passwordFile { return passwordFile.descriptor }
        return passwordFD ?? STDIN_FILENO
    }

    package init() {}

    package func validate() throws {
        guard passwordFD == nil || passwordFile == nil else {
            throw ValidationError("Give only one of --password-fd and --password-file.")
        }
        guard passwordFD ?? 0 >= 0 else { throw ValidationError("--password-fd must be 0 or greater.") }
    }

    /// Rejects a command line that reads the password and another value from the same descriptor.
    package func refuseSharing(_ descriptors: [Int32]) throws {
        let all = descriptors + [descriptor].compactMap { $0 }
        guard Set(all).count == all.count else {
            throw ValidationError(
                "Two values cannot come from the same input: "
                    + "give the password, the hash and each key from different sources."
            )
        }
    }

    /// Reads the password from the given descriptor or file, otherwise from standard input. Prompts if the source is a
    /// terminal.
    ///
    /// - Parameter isNew: Whether the password is being set. A typing error would go unnoticed then, so the prompt asks
    ///   for the password twice.
    /// - Returns: The password, without one trailing line feed unless `raw` is set.
    /// - Throws: ``CommandFailure`` when the password cannot be read, is too long, or differs the second time.
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
