// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
package import CredKit

/// The options that name the source of a password, which is never given on the command line itself.
package struct PasswordOptions: ParsableArguments, InputSource {
    @Option(help: ArgumentHelp("A file descriptor to read the password from, to its end.", valueName: "n"))
    package var passwordFD: Int32?

    @Option(help: ArgumentHelp("A file that contains the password; - is standard input.", valueName: "file"))
    package var passwordFile: FileArgument?

    @Flag(help: "Keep a trailing line feed, which is dropped by default.")
    package var raw = false

    package init() {}

    private var source: SecretSource { source(prompt: "Password: ") }

    private func source(prompt: String) -> SecretSource {
        SecretSource("password", descriptor: passwordFD, file: passwordFile, prompt: prompt)
    }

    /// Whether a source was given.
    package var isGiven: Bool { source.isGiven }

    package func validate() throws { try source.validate() }

    /// The descriptor that the password is read from, if its number is known.
    package var descriptors: [Int32] { [source.descriptor].compactMap { $0 } }

    /// Reads the password from the given descriptor or file, otherwise from standard input. Prompts if the source is a
    /// terminal.
    ///
    /// - Parameters:
    ///   - isNew: Whether the password is being set. A typing error would go unnoticed then, so the prompt asks for the
    ///     password twice.
    ///   - prompt: The question at a terminal.
    /// - Returns: The password, without one trailing line feed unless `raw` is set.
    /// - Throws: ``CommandFailure`` when the password cannot be read, is too long, or differs the second time.
    package func read(isNew: Bool, prompt: String = "Password: ") throws -> SecretBytes {
        try source(prompt: prompt).read(isNew: isNew, keepsLineFeed: raw)
    }
}
