// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

extension FuzzTarget {
    /// Feeds three lines to a verifier and a parser: Signature-Input, Signature, and Content-Digest.
    static let messageSignatures = FuzzTarget("message-signatures") { bytes in
        var input = FuzzInput(bytes)
        let (signatureInput, signature) = (input.line(), input.line())
        let digest = input.remaining
        let message = SignatureProperties.message(signatureInput, signature, digest)
        try SignatureProperties.checkInputs(message)
        try SignatureProperties.checkAcceptance(message)
        try SignatureProperties.checkDigest(digest)
    }
}

private enum SignatureProperties {
    static func message(
        _ signatureInput: [UInt8],
        _ signature: [UInt8],
        _ digest: [UInt8]
    ) -> MessageSignature.Message {
        .request(
            MessageSignature.Request(
                method: "GET",
                authority: "example.com",
                path: "/a",
                query: "b=c&d=e&d=f",
                fields: [
                    .init("Signature-Input", signatureInput), .init("Signature", signature),
                    .init("Content-Digest", digest), .init("Priority", "u=1,   i"), .init("Accept", "a"),
                    .init("Accept", "b"),
                ]
            )
        )
    }

    /// Checks that what is read from a message is written as the same text, and its base has one line for each component.
    static func checkInputs(_ message: MessageSignature.Message) throws {
        guard let all = try? MessageSignature.Received.all(in: message) else { return }
        try require(all.count <= MessageSignature.maximumSignatureCount, "there are not too many signatures")
        for received in all {
            guard let input = try? received.input() else { continue }
            let names = input.components.map { component in
                let parameters = component.parameters.map { "\($0.key)=\($0.value)" }
                return "\(component.name);\(parameters.sorted().joined(separator: ";"))"
            }
            try require(Set(names).count == names.count, "a component occurs once: \(names)")
            let text = input.serialized()
            let list = try requireSuccess("a written input can be parsed: \(text)") {
                try StructuredField.Dictionary(parsing: "a=\(text)")
            }
            guard case .innerList(let items)? = list["a"] else {
                throw PropertyFailure("a written input is a list: \(text)")
            }
            let again = try requireSuccess("a written input can be read: \(text)") {
                try MessageSignature.Input(items)
            }
            try requireEqual(again, input, "a written input is read as the same")
            guard let base = try? input.signatureBase(of: message) else { continue }
            let lines = base.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            try require(
                lines.count == names.count + 1,
                "the base has one line for each component and the input"
            )
            try require(base.allSatisfy { $0 < 0x80 }, "the base is ASCII")
            let last = Array("\"@signature-params\": \(text)".utf8)
            try require(lines.last.map { Array($0) } == last, "the base ends with the input")
        }
    }

    /// The only signature that is accepted: all inputs that have it differ in the label and in insignificant white space.
    private static let signed = (
        input: #"("@method" "@path" "@query");created=1700000000;keyid="k";nonce="n""#,
        signature: ":YaOEUYhqbmK6hIDRdHS8GIy4qdyRI8XHRTzqKq4ekZ0=:"
    )

    static func checkAcceptance(_ message: MessageSignature.Message) throws {
        let key = try MessageSignature.VerificationKey.hmacSHA256([UInt8](repeating: 7, count: 32))
        let verifier = try MessageSignature.Verifier(requiring: [.method, .path])
        let result = verifier.verify(message, at: UnixTime(1_700_000_000)) { _ in key }
        switch result {
        case .refused(let refusal):
            try require(refusal.message.utf8.allSatisfy { 0x20...0x7E ~= $0 }, "a reason is printable")
        case .accepted(let accepted):
            let inputs = try StructuredField.Dictionary(parsing: message.fields[0].value)
            try requireEqual(
                try inputs[accepted.label]?.serialized(),
                signed.input,
                "only that input is accepted"
            )
            let signatures = try StructuredField.Dictionary(parsing: message.fields[1].value)
            try requireEqual(
                try signatures[accepted.label]?.serialized(),
                signed.signature,
                "only its signature is accepted"
            )
        }
    }

    static func checkDigest(_ bytes: [UInt8]) throws {
        guard let text = String(input: bytes), let digest = ContentDigest(fieldLines: [text]) else { return }
        let again = try requireSome(
            ContentDigest(fieldLines: [digest.fieldValue]),
            "a written digest can be parsed"
        )
        try requireEqual(again, digest, "a written digest is parsed as the same")
        // A digest of these bytes cannot contain itself.
        try require(!digest.matches(bytes), "no text contains its own digest")
    }

    private static func requireSome<Value>(_ value: Value?, _ property: String) throws -> Value {
        guard let value else { throw PropertyFailure(property) }
        return value
    }
}
