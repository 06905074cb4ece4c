// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

final class SignatureVerifierTests: XCTestCase {
    private typealias Component = MessageSignature.Component
    private typealias Refusal = MessageSignature.Refusal

    private let now = UnixTime(1_700_000_000)
    private let covered: [Component] = [.method, .authority, .path, .query, .contentDigest]

    private func key(_ byte: UInt8 = 1) throws -> MessageSignature.SigningKey {
        try .hmacSHA256([UInt8](repeating: byte, count: 32))
    }

    private func request() -> MessageSignature.Request {
        .init(
            method: "POST",
            authority: "example.com",
            path: "/a",
            query: "b=c",
            fields: [.init("Content-Digest", ContentDigest(of: []).fieldValue)]
        )
    }

    private func signed(
        _ request: MessageSignature.Request,
        by signer: MessageSignature.Signer,
        at time: UnixTime? = nil,
        nonce: String = "n"
    ) throws -> MessageSignature.Request {
        var request = request
        let signed = try signer.sign(.request(request), at: time ?? now, nonce: nonce)
        request.fields.append(.init("Signature-Input", signed.signatureInput))
        request.fields.append(.init("Signature", signed.signature))
        return request
    }

    private func signed(
        covering components: [Component]? = nil,
        label: String = "sig",
        tag: String? = nil,
        lifetime: Duration? = nil,
        at time: UnixTime? = nil,
        nonce: String = "n"
    ) throws -> MessageSignature.Request {
        let key = try key()
        let signer = try MessageSignature.Signer(
            key: key,
            keyID: "k",
            covering: components ?? covered,
            label: label,
            tag: tag,
            lifetime: lifetime
        )
        return try signed(request(), by: signer, at: time, nonce: nonce)
    }

    /// Returns a message with a signature that no signer makes.
    private func signed(parameters: MessageSignature.Parameters) throws -> MessageSignature.Request {
        var request = request()
        let input = try MessageSignature.Input(covered, parameters: parameters)
        let signature = try key().sign(input.signatureBase(of: .request(request)))
        let signed = try MessageSignature.Signed(label: "a", input: input, signature: signature)
        request.fields.append(.init("Signature-Input", signed.signatureInput))
        request.fields.append(.init("Signature", signed.signature))
        return request
    }

    private func code(
        _ request: MessageSignature.Request,
        _ verifier: MessageSignature.Verifier? = nil,
        alsoRequiring more: [Component] = [],
        at time: UnixTime? = nil
    ) throws -> Refusal.Code? {
        let standard = try MessageSignature.Verifier(requiring: covered)
        let key = try key().verificationKey
        let result = (verifier ?? standard).verify(.request(request), alsoRequiring: more, at: time ?? now) {
            $0 == "k" ? key : nil
        }
        switch result {
        case .valid: return nil
        case .invalid(let refusal):
            XCTAssertTrue(refusal.message.utf8.allSatisfy { 0x20...0x7E ~= $0 }, refusal.message)
            return refusal.code
        }
    }

    func testAcceptsASignedMessage() throws {
        let verifier = try MessageSignature.Verifier(requiring: covered)
        let key = try key().verificationKey
        let result = verifier.verify(.request(try signed(tag: "t", lifetime: .seconds(60))), at: now) {
            name in
            XCTAssertEqual(name, "k")
            return key
        }
        guard case .valid(let signature) = result else { return XCTFail("\(result)") }
        XCTAssertEqual(signature.label, "sig")
        XCTAssertEqual(signature.keyID, "k")
        XCTAssertEqual(signature.algorithm, .hmacSHA256)
        XCTAssertEqual(signature.created, now)
        XCTAssertEqual(signature.validUntil, now + .seconds(60))
        XCTAssertEqual(signature.nonce, "n")
        XCTAssertEqual(signature.tag, "t")
        XCTAssertEqual(signature.components, covered)
    }

    func testRejectsEachChangedComponent() throws {
        let original = try signed()
        XCTAssertNil(try code(original))
        func check(_ change: (inout MessageSignature.Request) -> Void, line: UInt = #line) throws {
            var changed = original
            change(&changed)
            XCTAssertEqual(try code(changed), .invalidSignature, line: line)
        }
        try check { $0.method = "PUT" }
        try check { $0.authority = "example.con" }
        try check { $0.path = "/b" }
        try check { $0.query = "b=d" }
        try check { $0.query = nil }
        try check { $0.fields[0].value[9] ^= 1 }
        var uncovered = original
        uncovered.fields.append(.init("Accept", "a"))
        uncovered.scheme = "http"
        XCTAssertNil(try code(uncovered))
        uncovered.fields.removeFirst()
        XCTAssertEqual(try code(uncovered), .invalidComponent)
        uncovered.fields.removeAll()
        XCTAssertEqual(try code(uncovered), .unsigned)
    }

    func testWindowOfTime() throws {
        let verifier = try MessageSignature.Verifier(
            requiring: [.method],
            maximumAge: .seconds(300),
            clockTolerance: .seconds(30)
        )
        for (offset, expected) in [
            (30, nil), (31, Refusal.Code.createdInFuture), (-300, nil), (-301, .tooOld),
        ] {
            let message = try signed(at: now + .seconds(offset))
            XCTAssertEqual(try code(message, verifier), expected, "\(offset)")
        }
        let short = try signed(lifetime: .seconds(60))
        XCTAssertNil(try code(short, verifier, at: now + .seconds(59)))
        XCTAssertEqual(try code(short, verifier, at: now + .seconds(60)), .expired)
        // The time until which a nonce is remembered is the first one that is refused.
        let key = try key().verificationKey
        let result = verifier.verify(.request(try signed()), at: now) { _ in key }
        guard case .valid(let signature) = result else { return XCTFail("\(result)") }
        XCTAssertEqual(try code(signed(), verifier, at: signature.validUntil - .seconds(1)), nil)
        XCTAssertEqual(try code(signed(), verifier, at: signature.validUntil), .tooOld)
    }

    func testExtremeTimes() throws {
        let verifier = try MessageSignature.Verifier(
            requiring: [.method],
            maximumAge: .seconds(Int64.max),
            clockTolerance: .seconds(Int64.max)
        )
        for time in [0, 999_999_999_999_999] {
            XCTAssertNil(try code(signed(at: UnixTime(Int64(time))), verifier), "\(time)")
        }
        XCTAssertThrowsError(try signed(at: UnixTime(-1)))
        XCTAssertThrowsError(try signed(at: UnixTime(.max)))
    }

    func testPolicy() throws {
        let tagged = try MessageSignature.Verifier(requiring: covered, tag: "app")
        XCTAssertEqual(try code(signed(), tagged), .wrongTag)
        XCTAssertEqual(try code(signed(tag: "apq"), tagged), .wrongTag)
        XCTAssertNil(try code(signed(tag: "app"), tagged))
        let careless = try MessageSignature.Verifier(requiring: covered, requiresNonce: false)
        for nonce in [nil, ""] {
            let message = try signed(parameters: .init(created: now, keyID: "k", nonce: nonce))
            XCTAssertEqual(try code(message), .missingParameter)
            XCTAssertNil(try code(message, careless))
        }
        XCTAssertEqual(try code(signed(covering: [.method, .path])), .notCovered)
        XCTAssertEqual(try code(signed(), alsoRequiring: [.field("date")]), .notCovered)
        let qualified = try Component("content-digest", parameters: ["bs": true])
        XCTAssertEqual(
            try code(signed(covering: [.method, .authority, .path, .query, qualified])),
            .notCovered
        )
        for components in [[], [Component.method, .method]] {
            XCTAssertThrowsError(try MessageSignature.Verifier(requiring: components))
            let key = try key()
            XCTAssertThrowsError(try MessageSignature.Signer(key: key, keyID: "k", covering: components))
        }
    }

    func testTheKeyDecidesTheAlgorithm() throws {
        var message = request()
        let hmac = try key()
        for (name, expected) in [
            ("hmac-sha256", nil), ("ed25519", Refusal.Code.wrongAlgorithm), ("", .wrongAlgorithm),
        ] {
            var parameters = MessageSignature.Parameters(created: now, keyID: "k", nonce: "n")
            parameters.algorithmName = name
            let input = try MessageSignature.Input(covered, parameters: parameters)
            let base = try input.signatureBase(of: .request(message))
            let signature = try hmac.sign(base.span)
            let signed = try MessageSignature.Signed(label: "a", input: input, signature: signature)
            message.fields = [
                message.fields[0], .init("Signature-Input", signed.signatureInput),
                .init("Signature", signed.signature),
            ]
            XCTAssertEqual(try code(message), expected)
        }
        let (key, otherKey) = (try key(), try key(2))
        let other = try MessageSignature.Signer(key: otherKey, keyID: "k", covering: covered)
        XCTAssertEqual(try code(signed(request(), by: other)), .invalidSignature)
        let unknown = try MessageSignature.Signer(key: key, keyID: "j", covering: covered)
        XCTAssertEqual(try code(signed(request(), by: unknown)), .unknownKey)
    }

    func testSeveralSignatures() throws {
        let (key, otherKey) = (try key(), try key(2))
        let proxy = try MessageSignature.Signer(
            key: otherKey,
            keyID: "proxy",
            covering: [.method],
            label: "proxy",
            tag: "p"
        )
        let own = try MessageSignature.Signer(
            key: key,
            keyID: "k",
            covering: covered,
            label: "own",
            tag: "o"
        )
        let both = try signed(signed(request(), by: proxy), by: own)
        XCTAssertEqual(try MessageSignature.Received.all(in: .request(both)).map(\.label), ["proxy", "own"])
        XCTAssertNil(try code(both))
        XCTAssertNil(try code(both, .init(requiring: covered, tag: "o")))
        // The reason is not that of the other signature.
        let strict = try MessageSignature.Verifier(requiring: covered, maximumAge: .zero, tag: "o")
        XCTAssertEqual(try code(both, strict, at: now + .seconds(1)), .tooOld)
        // A label again in another line.
        var twice = try signed(request(), by: own)
        twice.fields += try signed(request(), by: own, nonce: "m").fields.suffix(2)
        XCTAssertEqual(try code(twice), .malformed)
    }

    func testSignsWithEd25519() throws {
        let key = try MessageSignature.SigningKey.ed25519(pem: SignatureVectorKey.ed25519PEM)
        let signer = try MessageSignature.Signer(key: key, keyID: "e", covering: covered)
        let message = try signed(request(), by: signer)
        let verifier = try MessageSignature.Verifier(requiring: covered)
        guard
            case .valid(let signature) = verifier.verify(
                .request(message),
                at: now,
                key: { _ in key.verificationKey }
            )
        else { return XCTFail("refused") }
        XCTAssertEqual(signature.algorithm, .ed25519)
    }

    func testEachSignatureHasItsOwnNonce() throws {
        let key = try key()
        let signer = try MessageSignature.Signer(key: key, keyID: "k", covering: [.method])
        let inputs = try (0..<100).map { _ in try signer.sign(.request(request()), at: now).signatureInput }
        XCTAssertEqual(Set(inputs).count, 100)
    }
}
