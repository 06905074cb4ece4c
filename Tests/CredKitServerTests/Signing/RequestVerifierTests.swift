// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import XCTest

/// What a ``RequestVerifier`` demands of signatures.
final class RequestVerifierTests: XCTestCase {
    private typealias Outcome = SignedRequests.Outcome
    private let requests = SignedRequests()

    func testVerifiesASignedRequest() async throws {
        let request = try requests.signed(expires: 60, alg: "hmac-sha256", tag: "app", label: "own")
        let verifier = try requests.verifier(tag: "app")
        let result = try await verifier.verify(request, mayHaveContent: false, at: requests.now)
        guard case .verified(let verified) = result else { return XCTFail("\(result)") }
        XCTAssertEqual(verified.keyID, "k1")
        XCTAssertEqual(verified.algorithm, .hmacSHA256)
        XCTAssertEqual(verified.label, "own")
        XCTAssertEqual(verified.components, SignedRequests.target)
        XCTAssertEqual(verified.created, requests.now)
        XCTAssertEqual(verified.nonce, "n")
        XCTAssertEqual(verified.tag, "app")
        XCTAssertFalse(verified.mayHaveContent)
        XCTAssertTrue(verified.bodyCheck().finish())
    }

    func testWindowOfTime() async throws {
        let cases: [(created: Int64?, expires: Int64?, expected: Outcome)] = [
            (5, nil, .verified), (6, nil, .refused(.createdInFuture)), (-300, nil, .verified),
            (-301, nil, .refused(.tooOld)), (0, 1, .verified), (-10, 0, .refused(.expired)),
            (nil, 100, .refused(.missingParameter)),
        ]
        for (created, expires, expected) in cases {
            let request = try requests.signed(created: created, expires: expires)
            let outcome = try await requests.outcome(request)
            XCTAssertEqual(outcome, expected, "\(created as Any) \(expires as Any)")
        }
    }

    func testRequiresANonce() async throws {
        for nonce in [nil, ""] {
            let request = try requests.signed(nonce: nonce)
            let outcome = try await requests.outcome(request)
            XCTAssertEqual(outcome, .refused(.missingParameter))
            let lenient = try requests.verifier(requiresNonce: false)
            for _ in 0..<2 {
                let outcome = try await requests.outcome(request, lenient)
                XCTAssertEqual(outcome, .verified)
            }
        }
        // A nonce that is not required is accepted once all the same.
        let lenient = try requests.verifier(requiresNonce: false)
        let request = try requests.signed()
        let outcomes = [
            try await requests.outcome(request, lenient), try await requests.outcome(request, lenient),
        ]
        XCTAssertEqual(outcomes, [.verified, .rejected(.replayed)])
    }

    func testRequiresTheTag() async throws {
        let verifier = try requests.verifier(tag: "app")
        for (tag, expected) in [("app", Outcome.verified), ("apq", .refused(.wrongTag))] {
            let outcome = try await requests.outcome(try requests.signed(tag: tag), verifier)
            XCTAssertEqual(outcome, expected)
        }
        let untagged = try await requests.outcome(try requests.signed(), verifier)
        XCTAssertEqual(untagged, .refused(.wrongTag))
    }

    func testRequiresEachComponent() async throws {
        for missing in SignedRequests.target {
            let request = try requests.signed(
                covering: SignedRequests.all.filter { $0 != missing && $0 != .contentDigest }
            )
            let outcome = try await requests.outcome(request)
            XCTAssertEqual(outcome, .refused(.notCovered), "\(missing)")
        }
        let date = try SignedRequests.Component.field("Date")
        let verifier = try requests.verifier(requiring: SignedRequests.target + [date])
        let outcome = try await requests.outcome(try requests.signed(), verifier)
        XCTAssertEqual(outcome, .refused(.notCovered))
    }

    func testRejectsARequestForAnotherTarget() async throws {
        let original = try requests.signed()
        let changes: [(inout MessageSignature.Request) -> Void] = [
            { $0.method = "PUT" }, { $0.authority = "example.org" }, { $0.authority = "example.com:8443" },
            { $0.path = "/articles/" }, { $0.query = "id=8" }, { $0.query = nil },
        ]
        for change in changes {
            var changed = original
            change(&changed)
            let outcome = try await requests.outcome(changed)
            XCTAssertEqual(outcome, .refused(.invalidSignature), "\(changed)")
        }
        var same = original
        same.authority = "EXAMPLE.com:443"
        let outcome = try await requests.outcome(same)
        XCTAssertEqual(outcome, .verified)
    }

    func testTheKeyDecidesTheAlgorithm() async throws {
        let (hmac, other) = (try requests.key(), try requests.key(2))
        let ed25519 = try MessageSignature.SigningKey.ed25519([UInt8](repeating: 1, count: 32))
        let keys = ["k1": hmac.verificationKey, "e": ed25519.verificationKey]
        func check(
            _ key: MessageSignature.SigningKey,
            _ keyID: String?,
            _ alg: String?,
            _ expected: Outcome,
            line: UInt = #line
        ) async throws {
            let request = try requests.signed(by: key, keyID: keyID, alg: alg)
            let outcome = try await requests.outcome(request, requests.verifier(keys: keys))
            XCTAssertEqual(outcome, expected, line: line)
        }
        try await check(hmac, "k1", nil, .verified)
        try await check(ed25519, "e", "ed25519", .verified)
        try await check(ed25519, "k1", nil, .refused(.invalidSignature))
        try await check(ed25519, "k1", "ed25519", .refused(.wrongAlgorithm))
        try await check(hmac, "e", nil, .refused(.invalidSignature))
        try await check(hmac, "e", "hmac-sha256", .refused(.wrongAlgorithm))
        try await check(hmac, "k1", "none", .refused(.wrongAlgorithm))
        try await check(other, "k1", nil, .refused(.invalidSignature))
        try await check(hmac, nil, nil, .refused(.missingParameter))
        for alg in [nil, "hmac-sha256", "ed25519", "none"] {
            try await check(hmac, "k2", alg, .refused(.unknownKey))
            try await check(ed25519, "k2", alg, .refused(.unknownKey))
        }
    }

    func testOneOfSeveralSignaturesMustMeetTheWholePolicy() async throws {
        let keys = ["k1": try requests.key().verificationKey, "k2": try requests.key(2).verificationKey]
        func check(
            _ request: MessageSignature.Request,
            _ expected: Outcome,
            line: UInt = #line
        ) async throws {
            let outcome = try await requests.outcome(request, requests.verifier(keys: keys))
            XCTAssertEqual(outcome, expected, line: line)
        }
        let wrong = try requests.signed(by: requests.key(3), nonce: "a", label: "wrong")
        try await check(wrong, .refused(.invalidSignature))
        try await check(try requests.signed(wrong, by: requests.key(2), keyID: "k2", label: "b"), .verified)
        // One is valid and covers too little, the other covers enough and is not valid.
        let narrow = try requests.signed(wrong, covering: [.method], nonce: "b", label: "narrow")
        try await check(narrow, .refused(.invalidSignature))
        // Each covers a part.
        let first = try requests.signed(covering: [.method, .authority], nonce: "c", label: "first")
        let both = try requests.signed(first, covering: [.path, .query], nonce: "d", label: "second")
        try await check(both, .refused(.notCovered))
        // The valid signature decides which nonce is used: that of the other one remains.
        let verifier = try requests.verifier(keys: keys)
        let outcomes = [
            try await requests.outcome(try requests.signed(wrong, nonce: "e", label: "b"), verifier),
            try await requests.outcome(try requests.signed(nonce: "a"), verifier),
            try await requests.outcome(try requests.signed(nonce: "e"), verifier),
        ]
        XCTAssertEqual(outcomes, [.verified, .verified, .rejected(.replayed)])
    }

    func testUnsignedAndMalformedRequestsAreRejected() async throws {
        let unsigned = try await requests.outcome(requests.request())
        XCTAssertEqual(unsigned, .refused(.unsigned))
        var request = try requests.signed()
        request.fields.append(.init("Signature", "sig=:AAAA:"))
        let repeated = try await requests.outcome(request)
        XCTAssertEqual(repeated, .refused(.malformed))
    }

    func testConfiguration() throws {
        func make(
            _ components: [SignedRequests.Component] = SignedRequests.target,
            age: Duration = .seconds(300),
            tolerance: Duration = .seconds(5)
        ) throws {
            _ = try RequestVerifier(
                requiring: components,
                maximumAge: age,
                clockTolerance: tolerance,
                replayStore: requests.store(),
                startedAt: UnixTime(.min)
            ) { _ in nil }
        }
        try make()
        try make(age: .seconds(86_400), tolerance: .zero)
        for broken in [
            { try make([]) }, { try make([.method, .method]) }, { try make(age: .zero) },
            { try make(age: .seconds(86_401)) }, { try make(tolerance: .seconds(-1)) },
            { try make(tolerance: .seconds(301)) },
        ] {
            XCTAssertThrowsError(try broken()) {
                XCTAssertEqual($0 as? LoginServerError, .invalidConfiguration)
            }
        }
    }

    func testRejectionsSanitizeNamesOfKeys() async throws {
        let names = [#"k"; user="root"#, "k2", String(repeating: "k", count: 256)]
        var texts: [String] = []
        for name in names {
            let request = try requests.signed(keyID: name)
            let result = try await requests.verifier().verify(
                request,
                mayHaveContent: false,
                at: requests.now
            )
            guard case .rejected(let rejection) = result else { return XCTFail("\(result)") }
            XCTAssertEqual(rejection.keyID, name)
            texts.append(rejection.description)
        }
        // The reason is that of the first signature, whose key was not looked up.
        let old = try requests.signed(created: -301, label: "old")
        let mixed = try requests.signed(old, by: requests.key(2), nonce: "m", label: "wrong")
        let result = try await requests.verifier().verify(mixed, mayHaveContent: false, at: requests.now)
        guard case .rejected(let rejection) = result else { return XCTFail("\(result)") }
        XCTAssertEqual(rejection.description, "the signature is too old")
        XCTAssertNil(rejection.keyID)
        let reason = "the signature is by an unknown key (key "
        let long = String(repeating: "k", count: 64)
        XCTAssertEqual(texts, ["\(reason)'k???user??root')", "\(reason)'k2')", "\(reason)'\(long)...')"])
    }
}
