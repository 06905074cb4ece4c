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

    private var source: SecretSource {
        SecretSource("key", descriptor: keyFD, file: keyFile, alternative: .text(key), prompt: "Key: ")
    }

    package func validate() throws { try source.validate() }

    /// Rejects a command line without a key, before anything is read.
    package func require() throws { try source.require() }

    /// The descriptor that the key is read from, if its number is known.
    package var descriptor: Int32? { source.descriptor }

    /// Reads the key, all of its bytes.
    package func read() throws -> SecretBytes { try source.read(keepsLineFeed: true) }
}
