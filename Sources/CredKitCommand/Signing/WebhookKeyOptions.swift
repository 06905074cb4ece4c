// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// The options that name the sources of the secrets of webhooks: several while a secret is being replaced.
struct WebhookKeyOptions: ParsableArguments, InputSource {
    @Option(
        help: ArgumentHelp(
            "A file that contains the secret; may be repeated while it is replaced.",
            valueName: "file"
        )
    )
    var keyFile: [FileArgument] = []

    @Option(
        help: ArgumentHelp(
            "A file descriptor to read the secret from, to its end; may be repeated.",
            valueName: "n"
        )
    )
    var keyFD: [Int32] = []

    /// Rejects a command line without a secret, before anything is read.
    func require() throws {
        let count = keyFile.count + keyFD.count
        guard count > 0 else { throw ValidationError("Give the secret with --key-file or --key-fd.") }
        guard count <= WebhookSignature.maximumSecretCount else {
            throw ValidationError("More than \(WebhookSignature.maximumSecretCount) secrets are given.")
        }
        guard keyFD.allSatisfy({ $0 >= 0 }) else { throw ValidationError("--key-fd must be 0 or greater.") }
    }

    /// The descriptors that are read, as far as their numbers are known.
    var descriptors: [Int32] { keyFile.compactMap(\.descriptor) + keyFD }

    /// Reads the secrets, those of files first. Secrets are text, so one trailing line feed of each is dropped.
    func read() throws -> [SecretBytes] {
        try keyFile.map { try read($0, nil) } + keyFD.map { try read(nil, $0) }
    }

    private func read(_ file: FileArgument?, _ descriptor: Int32?) throws -> SecretBytes {
        let secret = try SecretReader(
            file: file,
            descriptor: descriptor,
            option: "--key-fd",
            prompt: "Secret: "
        ).readAll(keepsLineFeed: false)
        guard secret.withSecretBytes({ $0.isEmpty || $0[$0.count - 1] != UInt8(ascii: "\r") }) else {
            throw CommandFailure(
                .malformed,
                "the secret ends with a carriage return, which no service puts there: end its line with a line "
                    + "feed alone"
            )
        }
        return secret
    }
}
