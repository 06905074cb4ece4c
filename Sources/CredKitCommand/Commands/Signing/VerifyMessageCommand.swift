// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitClient
import CredKitTerminal

/// `credkit sign verify message`, which is `credkit sign verify`: verifies the signature of an HTTP message in a file.
struct VerifyMessageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "message",
        abstract: "Verify the signature of an HTTP message in a file.",
        discussion: """
            For instance:
              credkit sign verify --with hmac-sha256:k1=signing.key signed.http

            The file has the first line, the headers, an empty line and the content, as 'curl -i' prints them. Prints \
            'valid' with what the signature covers, or 'invalid', and exits with 0 or 1. A message that is sent again is \
            valid again, until it is too old.
            """
    )

    @Option(
        help: ArgumentHelp(
            """
            The kind, the name of the key, and its file. hmac-sha256: all bytes of the file. ed25519, \
            ecdsa-p256-sha256, ecdsa-p384-sha384, rsa-pss-sha512, rsa-v1_5-sha256: a public key in PEM. The other kinds of \
            'credkit sign message', without KEYID: the backend's secret.
            """,
            valueName: "kind:keyid=file"
        )
    )
    var with: SignatureKeyArgument

    @OptionGroup
    var options: SignatureOptions

    @Option(help: ArgumentHelp("How old a signature may be. (default: 5m)", valueName: "time"))
    var maxAge: TimeArgument?

    @Flag(name: .shortAndLong, help: "Print nothing; check the exit status.")
    var quiet = false

    @Flag(help: "Print one JSON object (see docs/json.md).")
    var json = false

    @Argument(help: "The file; - or none to read standard input.")
    var file: FileArgument?

    private var message: FileArgument { file ?? .standardInput }

    func validate() throws {
        try with.check("--with", forSigning: false)
        try options.check(with.kind)
        guard !options.base || (!json && !quiet) else {
            throw ValidationError("--base cannot be combined with --json or --quiet.")
        }
        try InputSources.check(others: [with.descriptor, message.descriptor])
    }

    func run() throws {
        let file = try MessageFile(message, isSecure: !options.http)
        let output = CommandOutput(json: json, quiet: quiet)
        switch with.kind {
        case .parameters: try verifyParameters(file, output)
        case .message(let algorithm): try verifyMessage(file, algorithm, output)
        }
    }

    private func verifyMessage(
        _ file: MessageFile,
        _ algorithm: MessageSignature.Algorithm,
        _ output: CommandOutput
    ) throws {
        let key = try with.verificationKey(algorithm)
        guard !options.base else { return try printBase(of: file) }
        let verification: MessageSignature.Verification
        do {
            let verifier = try MessageSignature.Verifier(
                requiring: options.components(for: file),
                maximumAge: maxAge?.duration ?? MessageSignature.Verifier.standardMaximumAge,
                requiresNonce: false
            )
            verification = verifier.verify(file.message) { $0 == with.keyID ? key : nil }
        } catch {
            throw ValidationError("\(error)")
        }
        switch verification {
        case .invalid(let refusal): try refuse(refusal.message, output)
        case .valid(let signature):
            let covered = signature.components.contains(.contentDigest)
            let lines = file.values("content-digest")
            guard !covered || ContentDigest(fieldLines: lines)?.matches(file.content) == true else {
                return try refuse("the content does not match Content-Digest", output)
            }
            let listing = SignatureListing(signature)
            try output.print(listing, text: listing.text)
        }
    }

    private func printBase(of file: MessageFile) throws {
        do {
            let received = try MessageSignature.Received.all(in: file.message)
            guard !received.isEmpty else { throw CommandFailure(.no, "the message has no signature") }
            var bases: [UInt8] = []
            for signature in received {
                bases += try signature.input().signatureBase(of: file.message) + [10]
            }
            try StandardStreams.write(StandardStreams.showable(bases))
        } catch let error as MessageSignature.Error {
            throw CommandFailure(.no, "\(error)")
        }
    }

    private func verifyParameters(_ file: MessageFile, _ output: CommandOutput) throws {
        guard let signature = try with.parameterSignature() else { return }
        do {
            let (request, body) = try SignatureOptions.request(file, message)
            let parameters = try RequestSigner.parameters(of: request, body)
            guard !options.base else {
                let base = try signature.signatureBase(of: parameters)
                return try StandardStreams.write(StandardStreams.showable(Array("\(base)\n".utf8)))
            }
            guard let signed = signature.verified(parameters) else {
                return try refuse("the signature of the parameters is missing or wrong", output)
            }
            let listing = SignatureListing(parameters: signed.map(\.key))
            try output.print(listing, text: listing.text)
        } catch let error as ClientError {
            try refuse("\(error)", output)
        } catch let error as SignatureError {
            try refuse("\(error)", output)
        }
    }

    private func refuse(_ reason: String, _ output: CommandOutput) throws {
        try output.print(["result": "invalid", "reason": reason], text: "invalid")
        throw CommandFailure(.no, quiet ? nil : ShellQuoting.escapingUnprintable(reason))
    }
}
