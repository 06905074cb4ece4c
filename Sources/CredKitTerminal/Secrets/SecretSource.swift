// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
package import CredKit
import Glibc

/// The source of a secret that is never given on the command line itself: `--NAME-fd N`, `--NAME-file FILE`, otherwise
/// standard input, with a prompt without echo if that is a terminal.
package struct SecretSource {
    /// The name of the options: `password` for `--password-fd` and `--password-file`.
    private let name: String
    private let fileDescriptor: Int32?
    private let file: FileArgument?
    private let prompt: String

    /// - Parameters:
    ///   - name: The beginning of the names of both options.
    ///   - descriptor: The value of `--NAME-fd`.
    ///   - file: The value of `--NAME-file`.
    ///   - prompt: The prompt at a terminal.
    package init(_ name: String, descriptor: Int32?, file: FileArgument?, prompt: String) {
        self.name = name
        fileDescriptor = descriptor
        self.file = file
        self.prompt = prompt
    }

    /// Rejects options that contradict each other.
    package func validate() throws {
        guard fileDescriptor == nil || file == nil else {
            throw ValidationError("Give only one of --\(name)-fd and --\(name)-file.")
        }
        guard fileDescriptor ?? 0 >= 0 else { throw ValidationError("--\(name)-fd must be 0 or greater.") }
    }

    /// Whether the command line names the source.
    package var isGiven: Bool { fileDescriptor != nil || file != nil }

    /// The descriptor that the secret is read from, if its number is known; standard input if no option names another.
    package var descriptor: Int32? {
        if let file { return file.descriptor }
        return fileDescriptor ?? STDIN_FILENO
    }

    /// Reads the secret. Drops one trailing line feed unless `keepsLineFeed`.
    ///
    /// - Parameters:
    ///   - isNew: Whether the secret is being set. A typing error would go unnoticed then, so a prompt asks twice.
    ///   - keepsLineFeed: Whether a trailing line feed is a part of the secret.
    /// - Returns: The secret.
    /// - Throws: ``CommandFailure`` when the secret cannot be read, is too long, or differs the second time.
    package func read(isNew: Bool, keepsLineFeed: Bool = false) throws -> SecretBytes {
        let reader = try SecretReader(
            file: file,
            descriptor: fileDescriptor,
            option: "--\(name)-fd",
            prompt: prompt
        )
        return try isNew
            ? reader.readNew(keepsLineFeed: keepsLineFeed) : reader.readAll(keepsLineFeed: keepsLineFeed)
    }
}
