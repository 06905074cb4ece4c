// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import CredKit

/// The options that name the source of the key phrase of a timestamped login.
package struct KeyPhraseOptions: ParsableArguments, InputSource {
    @Option(
        help: ArgumentHelp(
            "The key phrase itself, visible to all users of this machine: for protocol constants only.",
            valueName: "text"
        )
    )
    package var keyPhrase: String?

    @Option(help: ArgumentHelp("A file that contains the key phrase.", valueName: "file"))
    package var keyPhraseFile: FileArgument?

    @Option(
        help: ArgumentHelp("A file descriptor to read the key phrase from, to its end.", valueName: "n")
    )
    package var keyPhraseFD: Int32?

    package init() {}

    package func validate() throws {
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
    package var isGiven: Bool { keyPhrase != nil || keyPhraseFile != nil || keyPhraseFD != nil }

    /// Rejects a command line without a key phrase, before anything is read.
    package func require() throws {
        guard isGiven else { throw Self.error }
    }

    /// The descriptor that the key phrase is read from, if its number is known.
    package var descriptors: [Int32] { [keyPhraseFD ?? keyPhraseFile?.descriptor].compactMap { $0 } }

    /// Reads the key phrase. Drops one trailing line feed of a file or descriptor, unless `raw`.
    package func read(raw: Bool) throws -> SecretBytes {
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
