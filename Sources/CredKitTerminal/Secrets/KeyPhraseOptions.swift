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

    private var source: SecretSource {
        SecretSource(
            "key-phrase",
            descriptor: keyPhraseFD,
            file: keyPhraseFile,
            alternative: .text(keyPhrase),
            prompt: "Key phrase: "
        )
    }

    /// Rejects more than one source.
    ///
    /// - Throws: `ValidationError`.
    public func validate() throws { try source.validate() }

    /// Whether the command line names a source of the key phrase.
    public var isGiven: Bool { source.isGiven }

    /// Rejects a command line without a key phrase, before anything is read.
    public func require() throws { try source.require() }

    /// The descriptor that the key phrase is read from, if its number is known.
    public var descriptors: [Int32] { [source.descriptor].compactMap { $0 } }

    /// Reads the key phrase. Drops one trailing line feed of a file or descriptor, unless `raw`.
    public func read(raw: Bool) throws -> SecretBytes { try source.read(keepsLineFeed: raw) }
}
