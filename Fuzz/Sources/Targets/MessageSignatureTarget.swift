// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

extension FuzzTarget {
    /// Feeds a signed request to a verifier and a parser: a line each of Signature-Input, Signature and Content-Digest, and
    /// the content. The same bytes are also edits of the request that is signed.
    static let messageSignatures = FuzzTarget("message-signatures") { bytes in
        var input = FuzzInput(bytes)
        let request = SignedContent(
            input: input.line(),
            signature: input.line(),
            digest: input.line(),
            content: input.remaining
        )
        try SignatureProperties.checkInputs(request.message)
        try SignatureProperties.checkAcceptance(request)
        try SignatureProperties.checkDigest(request.digest)
        var edited = SignedContent.original
        edited.edit(bytes)
        try SignatureProperties.checkAcceptance(edited)
    }
}

/// What a fuzzed request consists of.
private struct SignedContent {
    var input, signature, digest, content: [UInt8]

    /// The only content with a signature, which python's hmac computed.
    static let original = SignedContent(
        input: Array("sig=\(signedInput)".utf8),
        signature: Array("sig=\(signedCode)".utf8),
        digest: Array(signedDigest.utf8),
        content: Array(signedContent.utf8)
    )

    static let signedInput =
        #"("@method" "@path" "@query" "content-digest");created=1700000000;keyid="k";nonce="n""#
    static let signedCode = ":dCL3w79Sci/O+Nboo8I4sWpxhVrxTce3oVznyXkunzE=:"
    static let signedDigest = "sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:"
    static let signedContent = #"{"hello": "world"}"#

    /// Applies up to eight edits of four bytes each: the part, the place, what to do, and a byte.
    mutating func edit(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        for _ in 0..<min(8, bytes.count / 4) {
            let part = [\SignedContent.input, \.signature, \.digest, \.content][input.number(below: 4)]
            let (place, action, byte) = (Int(input.byte()), input.number(below: 4), input.byte())
            let count = self[keyPath: part].count
            guard count > 0 else { continue }
            switch action {
            case 0: self[keyPath: part][place % count] = byte
            case 1: self[keyPath: part].remove(at: place % count)
            case 2: self[keyPath: part].insert(byte, at: place % count)
            default: self[keyPath: part][place % count] ^= 1 << (byte % 8)
            }
        }
    }

    var message: MessageSignature.Message {
        .request(
            MessageSignature.Request(
                method: "POST",
                authority: "example.com",
                path: "/a",
                query: "b=c&d=e&d=f",
                fields: [
                    .init("Signature-Input", input), .init("Signature", signature),
                    .init("Content-Digest", digest), .init("Priority", "u=1,   i"), .init("Accept", "a"),
                    .init("Accept", "b"),
                ]
            )
        )
    }

    /// The digest without white space around it, which is not signed.
    var trimmedDigest: [UInt8] {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        return Array(digest.drop(while: isSpace).reversed().drop(while: isSpace).reversed())
    }
}

private enum SignatureProperties {
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

    /// Checks that nothing is accepted but the signed request: another label, insignificant white space and unused bits of
    /// Base64 are the only differences.
    static func checkAcceptance(_ request: SignedContent) throws {
        let key = try MessageSignature.VerificationKey.hmacSHA256([UInt8](repeating: 7, count: 32))
        let verifier = try MessageSignature.Verifier(requiring: [.method, .path, .contentDigest])
        let result = verifier.verify(request.message, at: UnixTime(1_700_000_000)) { _ in key }
        switch result {
        case .invalid(let refusal):
            try require(refusal.message.utf8.allSatisfy { 0x20...0x7E ~= $0 }, "a reason is printable")
        case .valid(let accepted):
            let inputs = try StructuredField.Dictionary(parsing: request.input)
            try requireEqual(
                try inputs[accepted.label]?.serialized(),
                SignedContent.signedInput,
                "only that input is accepted"
            )
            let signatures = try StructuredField.Dictionary(parsing: request.signature)
            try requireEqual(
                try signatures[accepted.label]?.serialized(),
                SignedContent.signedCode,
                "only its signature is accepted"
            )
            try requireEqual(
                request.trimmedDigest,
                Array(SignedContent.signedDigest.utf8),
                "only that digest is accepted"
            )
            let digest = ContentDigest(fieldLines: [String(decoding: request.digest, as: UTF8.self)])
            guard digest?.matches(request.content) == true else { return }
            try requireEqual(
                request.content,
                Array(SignedContent.signedContent.utf8),
                "only that content is accepted"
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
