// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import Glibc

/// Where a password comes from. It never stands on the command line.
struct PasswordOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A file descriptor to read the password from, to its end.", valueName: "n"))
    var passwordFD: Int32?

    @Option(help: ArgumentHelp("A file with the password; - is standard input.", valueName: "file"))
    var passwordFile: FileArgument?

    @Flag(help: "Keep a line feed at the end, which is dropped otherwise.")
    var raw = false

    /// Whether the password is read from standard input, and not from a terminal.
    var readsStandardInput: Bool {
        if let passwordFD { return passwordFD == STDIN_FILENO }
        return passwordFile?.isStandardInput ?? (isatty(STDIN_FILENO) == 0)
    }

    func validate() throws {
        guard passwordFD == nil || passwordFile == nil else {
            throw ValidationError("Give one of --password-fd and --password-file.")
        }
    }

    /// The password: from the descriptor or file that was named, else asked for when standard input is a
    /// terminal, else read from standard input.
    ///
    /// - Parameter isNew: Whether it is being set, so that a slip of the finger would go unnoticed: it is asked
    ///   for twice then.
    /// - Returns: The password without the line feed behind it, unless that is to be kept.
    /// - Throws: ``CommandFailure`` when it cannot be read, is too long, or differs the second time.
    func read(isNew: Bool) throws -> SecretBytes {
        let bytes: SecretBytes
        if let passwordFD {
            bytes = try SecretReader(descriptor: passwordFD, name: "--password-fd \(passwordFD)").readAll()
        } else if let passwordFile {
            bytes = try SecretReader.readAll(of: passwordFile)
        } else if isatty(STDIN_FILENO) == 1 {
            let password = try HiddenPrompt.ask("Password: ")
            if isNew, try HiddenPrompt.ask("Again: ") != password {
                throw CommandFailure(.malformed, "the two passwords differ; nothing was done")
            }
            return password
        } else {
            bytes = try SecretReader(descriptor: STDIN_FILENO, name: "standard input").readAll()
        }
        return raw ? bytes : try bytes.withoutTrailingNewline()
    }
}
