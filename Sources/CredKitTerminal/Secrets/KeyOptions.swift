// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import CredKit

/// The options that name the source of a key.
package struct KeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The key itself, visible to all users of this machine: for protocol constants only.",
            valueName: "text"
        )
    )
    package var key: String?

    @Option(help: ArgumentHelp("A file that contains the key: all of its bytes.", valueName: "file"))
    package var keyFile: FileArgument?

    @Option(help: ArgumentHelp("A file descriptor to read the key from, to its end.", valueName: "n"))
    package var keyFD: Int32?

    package init() {}

    package func validate() throws {
        guard [key != nil, keyFile != nil, keyFD != nil].filter({ $0 }).count <= 1 else { throw Self.error }
        guard keyFD ?? 0 >= 0 else { throw ValidationError("--key-fd must be 0 or greater.") }
    }

    private static let error = ValidationError(
        "Give the key with exactly one of --key, --key-file and --key-fd."
    )

    /// Whether the command line names a source of the key.
    package var isGiven: Bool { key != nil || keyFile != nil || keyFD != nil }

    /// Rejects a command line without a key, before anything is read.
    package func require() throws {
        guard isGiven else { throw Self.error }
    }

    /// The descriptor that the key is read from, if its number is known.
    package var descriptor: Int32? { keyFD ?? keyFile?.descriptor }

    /// Reads the key, all of its bytes.
    package func read() throws -> SecretBytes {
        try require()
        if let key { return try SecretBytes(RawArguments.encode(key)) }
        let source = try SecretReader(file: keyFile, descriptor: keyFD, option: "--key-fd", prompt: "Key: ")
        return try source.readAll(keepsLineFeed: true)
    }
}
