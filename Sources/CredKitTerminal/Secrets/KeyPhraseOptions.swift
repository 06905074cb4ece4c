// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import CredKit

/// The options that name the source of the key phrase of a timestamped login.
public struct KeyPhraseOptions: ParsableArguments, InputSource, Sendable {
    /// The key phrase itself, which all users of the machine see.
    @Option(
        help: ArgumentHelp(
            "The key phrase itself, visible to all users of this machine: for protocol constants only.",
            valueName: "text"
        )
    )
    public var keyPhrase: String?

    /// The file with the key phrase.
    @Option(help: ArgumentHelp("A file that contains the key phrase.", valueName: "file"))
    public var keyPhraseFile: FileArgument?

    /// The descriptor that the key phrase is read from.
    @Option(
        help: ArgumentHelp("A file descriptor to read the key phrase from, to its end.", valueName: "n")
    )
    public var keyPhraseFD: Int32?

    /// Creates the options without a source.
    public init() {}

    /// Rejects more than one source.
    ///
    /// - Throws: `ValidationError`.
    public func validate() throws {
        guard [keyPhrase != nil, keyPhraseFile != nil, keyPhraseFD != nil].filter({ $0 }).count <= 1 else {
            throw Self.error
        }
        guard keyPhraseFD ?? 0 >= 0 else {
            throw ValidationError("--key-phrase-fd must be 0 or greater.")
        }
    }

    private static let error = ValidationError(
        "Give the key phrase with exactly one of --key-phrase, --key-phrase-file and --key-phrase-fd."
    )

    /// Whether the command line names a source of the key phrase.
    public var isGiven: Bool { keyPhrase != nil || keyPhraseFile != nil || keyPhraseFD != nil }

    /// Rejects a command line without a key phrase, before anything is read.
    public func require() throws {
        guard isGiven else { throw Self.error }
    }

    /// The descriptor that the key phrase is read from, if its number is known.
    public var descriptors: [Int32] { [keyPhraseFD ?? keyPhraseFile?.descriptor].compactMap { $0 } }

    /// Reads the key phrase. Drops one trailing line feed of a file or descriptor, unless `raw`.
    public func read(raw: Bool) throws -> SecretBytes {
        try require()
        if let keyPhrase { return try SecretBytes(RawArguments.encode(keyPhrase)) }
        let source = try SecretReader(
            file: keyPhraseFile,
            descriptor: keyPhraseFD,
            option: "--key-phrase-fd",
            prompt: "Key phrase: "
        )
        return try source.readAll(keepsLineFeed: raw)
    }
}
