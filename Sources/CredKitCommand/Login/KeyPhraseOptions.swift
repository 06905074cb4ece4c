// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// Where the key phrase of a timestamped login comes from.
struct KeyPhraseOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The key phrase itself, which everybody on this machine can see: for constants of a protocol only.",
            valueName: "text"
        )
    )
    var keyPhrase: String?

    @Option(help: ArgumentHelp("A file with the key phrase.", valueName: "file"))
    var keyPhraseFile: FileArgument?

    @Option(
        help: ArgumentHelp("A file descriptor to read the key phrase from, to its end.", valueName: "n")
    )
    var keyPhraseFD: Int32?

    func validate() throws {
        guard [keyPhrase != nil, keyPhraseFile != nil, keyPhraseFD != nil].filter({ $0 }).count <= 1 else {
            throw Self.error
        }
        guard keyPhraseFD ?? 0 >= 0 else {
            throw ValidationError("--key-phrase-fd takes a number from 0 on.")
        }
    }

    private static let error = ValidationError(
        "Give the key phrase with one of --key-phrase, --key-phrase-file and --key-phrase-fd."
    )

    /// Whether the command line says where the key phrase is.
    var isGiven: Bool { keyPhrase != nil || keyPhraseFile != nil || keyPhraseFD != nil }

    /// Refuse a command line without a key phrase, before anything is read.
    func require() throws {
        guard isGiven else { throw Self.error }
    }

    /// The descriptor that the key phrase is read from, if it is known by its number.
    var descriptor: Int32? { keyPhraseFD ?? keyPhraseFile?.descriptor }

    /// The key phrase, without the line feed that a file's last line ends in unless `raw`.
    func read(raw: Bool) throws -> SecretBytes {
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
