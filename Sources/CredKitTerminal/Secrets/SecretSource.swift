// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
package import CredKit
import Glibc

/// The source of a secret: `--NAME-fd N`, `--NAME-file FILE`, or an ``Alternative``. Groups of options declare the options;
/// which of them count, and which contradict each other, is decided here. ``SecretReader`` reads; `PassphraseSources` of
/// `credkit` has the order of a vault's passphrases.
package struct SecretSource {
    /// Where the secret comes from without a descriptor and a file.
    package enum Alternative {
        /// From standard input, with a prompt without echo if that is a terminal.
        case standardInput
        /// From `--NAME TEXT`, which all users of the machine see. One of the three options is required.
        case text(String?)
        /// From the output of `--NAME-command COMMAND`, or from a place that the caller knows. The caller reads both.
        case command(String?)
        /// From a place that the caller knows, and reads.
        case elsewhere
    }

    /// The name of the options: `password` for `--password-fd` and `--password-file`.
    private let name: String
    private let fileDescriptor: Int32?
    private let file: FileArgument?
    private let alternative: Alternative
    private let prompt: String

    /// - Parameters:
    ///   - name: The beginning of the names of all options.
    ///   - descriptor: The value of `--NAME-fd`.
    ///   - file: The value of `--NAME-file`.
    ///   - alternative: Where the secret comes from without these options.
    ///   - prompt: The prompt at a terminal.
    package init(
        _ name: String,
        descriptor: Int32?,
        file: FileArgument?,
        alternative: Alternative = .standardInput,
        prompt: String
    ) {
        self.name = name
        fileDescriptor = descriptor
        self.file = file
        self.alternative = alternative
        self.prompt = prompt
    }

    /// Rejects options that contradict each other.
    package func validate() throws {
        guard [fileDescriptor != nil, file != nil, isAlternativeGiven].filter({ $0 }).count <= 1 else {
            throw wrongNumber
        }
        guard fileDescriptor ?? 0 >= 0 else { throw ValidationError("--\(name)-fd must be 0 or greater.") }
    }

    /// Rejects a command line that names no source, before anything is read.
    package func require() throws {
        guard isGiven else { throw wrongNumber }
    }

    private var wrongNumber: ValidationError {
        switch alternative {
        case .standardInput, .elsewhere:
            ValidationError("Give only one of --\(name)-fd and --\(name)-file.")
        case .command:
            ValidationError("Give only one of --\(name)-fd, --\(name)-file and --\(name)-command.")
        case .text:
            ValidationError(
                "Give the \(words) with exactly one of --\(name), --\(name)-file and --\(name)-fd."
            )
        }
    }

    /// The name of the secret in a sentence.
    private var words: String { String(name.map { $0 == "-" ? " " : $0 }) }

    private var isAlternativeGiven: Bool {
        switch alternative {
        case .text(let value), .command(let value): value != nil
        case .standardInput, .elsewhere: false
        }
    }

    /// Whether the command line names a source.
    package var isGiven: Bool { isInputGiven || isAlternativeGiven }

    /// Whether the command line names a descriptor or a file.
    package var isInputGiven: Bool { fileDescriptor != nil || file != nil }

    /// The descriptor that the secret is read from, if its number is known.
    package var descriptor: Int32? {
        if let file { return file.descriptor }
        if case .standardInput = alternative { return fileDescriptor ?? STDIN_FILENO }
        return fileDescriptor
    }

    /// Reads the secret from the text, the descriptor or the file, otherwise from standard input. Drops one trailing line
    /// feed unless `keepsLineFeed`; a text is read as it is.
    ///
    /// - Parameters:
    ///   - isNew: Whether the secret is being set. A typing error would go unnoticed then, so a prompt asks twice; and an
    ///     input without a byte is an error.
    ///   - keepsLineFeed: Whether a trailing line feed is a part of the secret.
    ///   - timeout: The time limit for reading; `nil` for none.
    /// - Returns: The secret.
    /// - Throws: ``CommandFailure`` when the secret cannot be read, is too long, or differs the second time.
    package func read(
        isNew: Bool = false,
        keepsLineFeed: Bool = false,
        timeout: Duration? = nil
    ) throws -> SecretBytes {
        if case .text(let text) = alternative {
            try require()
            if let text { return try SecretBytes(RawArguments.encode(text)) }
        }
        let reader = try SecretReader(
            file: file,
            descriptor: fileDescriptor,
            option: "--\(name)-fd",
            prompt: prompt,
            timeout: timeout
        )
        return try isNew
            ? reader.readNew(keepsLineFeed: keepsLineFeed) : reader.readAll(keepsLineFeed: keepsLineFeed)
    }
}
