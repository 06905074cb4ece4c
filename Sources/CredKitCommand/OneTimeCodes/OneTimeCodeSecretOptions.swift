// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// The options that name the source of a URI or seed, which is never given on the command line itself.
struct OneTimeCodeSecretOptions: ParsableArguments, InputSource {
    @Option(help: ArgumentHelp("A file descriptor to read it from, to its end.", valueName: "n"))
    var secretFD: Int32?

    @Option(
        help: ArgumentHelp("A file that contains it; - is standard input.", valueName: "file")
    )
    var secretFile: FileArgument?

    private var source: SecretSource { source(of: nil) }

    private func source(of owner: String?) -> SecretSource {
        let name = owner.map { " for \(ShellQuoting.escapingUnprintable($0))" } ?? ""
        return SecretSource(
            "secret",
            descriptor: secretFD,
            file: secretFile,
            prompt: "URI or seed\(name): "
        )
    }

    /// Whether the command line names the source.
    var isGiven: Bool { source.isGiven }

    func validate() throws { try source.validate() }

    /// The descriptor that the secret is read from, if its number is known.
    var descriptors: [Int32] { [source.descriptor].compactMap { $0 } }

    /// Reads the URI or seed, without a trailing line feed.
    ///
    /// - Parameter owner: What it is for, such as `example.com/alice`, for the prompt; `nil` if the URI says it.
    /// - Returns: The URI or seed.
    /// - Throws: ``CommandFailure`` when it cannot be read, or is too long.
    func read(of owner: String?) throws -> SecretBytes { try source(of: owner).read(isNew: false) }
}

/// The options that name the source of a code.
struct OneTimeCodeOptions: ParsableArguments, InputSource {
    @Option(help: ArgumentHelp("A file descriptor to read it from, to its end.", valueName: "n"))
    var codeFD: Int32?

    @Option(help: ArgumentHelp("A file that contains it; - is standard input.", valueName: "file"))
    var codeFile: FileArgument?

    private var source: SecretSource {
        SecretSource("code", descriptor: codeFD, file: codeFile, prompt: "Code: ")
    }

    func validate() throws { try source.validate() }

    /// The descriptor that the code is read from, if its number is known.
    var descriptors: [Int32] { [source.descriptor].compactMap { $0 } }

    /// Reads the code, without a trailing line feed. Returns `nil` if the text is no code.
    func read() throws -> OneTimeCode? {
        try source.read(isNew: false).withSecretBytes { bytes in
            guard bytes.count <= OneTimeCode.digitCounts.upperBound else { return nil }
            return OneTimeCode(String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self))
        }
    }
}
