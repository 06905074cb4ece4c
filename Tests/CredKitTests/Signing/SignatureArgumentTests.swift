// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

/// What a program may hand to signers and verifiers, and the codes of its errors.
final class SignatureArgumentTests: XCTestCase {
    private typealias Component = MessageSignature.Component
    private typealias Code = MessageSignature.Error.Code

    private let request = MessageSignature.Request(method: "GET", authority: "a", path: "/")

    private func assert(
        _ expected: Code,
        _ text: String = "",
        line: UInt = #line,
        _ body: () throws -> Void
    ) {
        XCTAssertThrowsError(try body(), line: line) {
            let error = $0 as? MessageSignature.Error
            XCTAssertEqual(error?.code, expected, "\($0)", line: line)
            XCTAssertTrue(text.isEmpty || "\($0)".contains(text), "\($0)", line: line)
        }
    }

    private func signer(
        _ components: [Component] = [.method],
        keyID: String = "k",
        label: String = "sig",
        lifetime: Duration? = nil
    ) throws -> MessageSignature.Signer {
        let key = try MessageSignature.SigningKey.hmacSHA256([UInt8](repeating: 7, count: 32))
        return try .init(key: key, keyID: keyID, covering: components, label: label, lifetime: lifetime)
    }

    func testSigners() throws {
        for lifetime: Duration in [
            .zero, .seconds(-1), .milliseconds(1500), .nanoseconds(1), .seconds(Int64.min),
        ] {
            assert(.invalidArgument, "lifetime") { _ = try signer(lifetime: lifetime) }
        }
        assert(.malformedField) { _ = try signer(lifetime: .seconds(Int64.max)) }
        XCTAssertNoThrow(try signer(lifetime: .seconds(1)))
        assert(.invalidArgument, "key") { _ = try signer(keyID: "") }
        assert(.malformedField) { _ = try signer(keyID: "é") }
        assert(.malformedField, "label") { _ = try signer(label: "") }
        assert(.malformedField, "label") { _ = try signer(label: "Sig") }
        assert(.limitExceeded, "label") { _ = try signer(label: String(repeating: "a", count: 257)) }
        assert(.noComponents) { _ = try signer([]) }
        assert(.repeated) { _ = try signer([.path, .path]) }
        assert(.invalidArgument, "nonce") { _ = try signer().sign(.request(request), nonce: "") }
        assert(.malformedField) { _ = try signer().sign(.request(request), nonce: "\n") }
    }

    func testSignaturesThatTheMessageHasAlready() throws {
        var request = request
        for index in 0..<8 {
            let signed = try signer(label: "s\(index)").sign(.request(request))
            request.fields.append(.init("signature-input", signed.signatureInput))
            request.fields.append(.init("SIGNATURE", signed.signature))
            guard index < 7 else { continue }
            assert(.repeated, "'s0'") { _ = try signer(label: "s0").sign(.request(request)) }
        }
        assert(.limitExceeded) { _ = try signer(label: "s8").sign(.request(request)) }
        request.fields = [.init("Signature", "keyId=\"a\",algorithm=\"b\"")]
        assert(.malformedField) { _ = try signer().sign(.request(request)) }
    }

    func testVerifiers() throws {
        typealias Verifier = MessageSignature.Verifier
        for duration: Duration in [.seconds(-1), .nanoseconds(-1), .seconds(Int64.min)] {
            assert(.invalidArgument) { _ = try Verifier(requiring: [.method], maximumAge: duration) }
            assert(.invalidArgument) { _ = try Verifier(requiring: [.method], clockTolerance: duration) }
        }
        assert(.noComponents) { _ = try Verifier(requiring: []) }
        assert(.repeated) { _ = try Verifier(requiring: [.path, .path]) }
    }

    /// `ofRequest` cannot throw: what it makes of the status is refused wherever it could be used.
    func testTheStatusOfARequest() throws {
        let status = Component.status.ofRequest
        assert(.invalidComponent) { _ = try signer([status]) }
        assert(.invalidComponent) { _ = try MessageSignature.Verifier(requiring: [status]) }
        assert(.invalidComponent) { _ = try MessageSignature.Input([status], parameters: .init()) }
        assert(.invalidComponent) { _ = try Component("@status", parameters: ["req": true]) }
    }

    func testComponents() throws {
        assert(.invalidComponent, "empty") { _ = try Component("") }
        assert(.invalidComponent) { _ = try Component.field("") }
        assert(.limitExceeded) { _ = try Component(String(repeating: "x", count: 257)) }
        assert(.invalidComponent) { _ = try Component.field("@method") }
        assert(.invalidComponent) { _ = try Component("é") }
    }

    func testKeys() throws {
        assert(.invalidKey) { _ = try MessageSignature.SigningKey.hmacSHA256([1]) }
        assert(.invalidKey) { _ = try MessageSignature.SigningKey.ed25519([1]) }
        assert(.invalidKey) { _ = try MessageSignature.SigningKey.ed25519(pem: "") }
        assert(.invalidKey) { _ = try MessageSignature.VerificationKey.ed25519([1]) }
    }
}
