// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import CredKit

/// Where a key comes from.
package struct KeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The key itself, which everybody on this machine can see: for constants of a protocol only.",
            valueName: "text"
        )
    )
    package var key: String?

    @Option(help: ArgumentHelp("A file with the key, all of its bytes.", valueName: "file"))
    package var keyFile: FileArgument?

    @Option(help: ArgumentHelp("A file descriptor to read the key from, to its end.", valueName: "n"))
    package var keyFD: Int32?

    package init() {}

    package func validate() throws {
        guard [key != nil, keyFile != nil, keyFD != nil].filter({ $0 }).count <= 1 else { throw Self.error }
        guard keyFD ?? 0 >= 0 else { throw ValidationError("--key-fd takes a number from 0 on.") }
    }

    private static let error = ValidationError("Give the key with one of --key, --key-file and --key-fd.")

    /// Whether the command line says where the key is.
    package var isGiven: Bool { key != nil || keyFile != nil || keyFD != nil }

    /// Refuses a command line without a key, before anything is read.
    package func require() throws {
        guard isGiven else { throw Self.error }
    }

    /// The descriptor that the key is read from, if it is known by its number.
    package var descriptor: Int32? { keyFD ?? keyFile?.descriptor }

    /// The key, all of its bytes.
    package func read() throws -> SecretBytes {
        try require()
        if let key { return try SecretBytes(RawArguments.encode(key)) }
        let source = try SecretReader(file: keyFile, descriptor: keyFD, option: "--key-fd", prompt: "Key: ")
        return try source.readAll(keepsLineFeed: true)
    }

    /// The key as a text: without the line feed that a file's last line ends in, unless `raw`.
    package func readText(raw: Bool) throws -> SecretBytes {
        let bytes = try read()
        return raw || key != nil ? bytes : try bytes.withoutTrailingNewline()
    }
}
