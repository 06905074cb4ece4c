// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTesting
import XCTest

/// What an attacker tries with requests that others have signed, or that nothing has signed.
final class RequestAttackTests: XCTestCase {
    private typealias Component = MessageSignature.Component

    private let requests = SignedRequests()

    /// With one of two signatures removed, or in another order, it is another copy of the same request.
    func testRequestWithTwoSignaturesIsAcceptedOnce() async throws {
        let keys = ["k1": try requests.key(1).verificationKey, "k2": try requests.key(2).verificationKey]
        let first = try requests.signed()
        let both = try requests.signed(first, by: requests.key(2), keyID: "k2", nonce: "m", label: "other")
        var second = requests.request()
        second.fields = Array(both.fields.suffix(2))
        var swapped = requests.request()
        swapped.fields = both.fields.suffix(2) + both.fields.prefix(2)
        let verifier = try requests.verifier(keys: keys)
        let outcome = try await requests.outcome(both, verifier)
        XCTAssertEqual(outcome, .verified)
        for copy in [both, first, second, swapped] {
            let outcome = try await requests.outcome(copy, verifier)
            XCTAssertEqual(outcome, .rejected(.replayed))
        }
    }

    /// An unknown key is verified with the last known one as a decoy: what that one has signed is not accepted.
    func testDecoyAcceptsNothing() async throws {
        let verifier = try requests.verifier()
        for _ in 0..<2 {
            let stranger = try await requests.outcome(requests.signed(keyID: "k9"), verifier)
            XCTAssertEqual(stranger, .refused(.unknownKey))
            let known = try await requests.outcome(
                requests.signed(nonce: "n\(UInt64.random(in: 0 ... .max))"),
                verifier
            )
            XCTAssertEqual(known, .verified)
        }
        // Beside a signature by a known key.
        let both = try requests.signed(requests.signed(keyID: "k9", nonce: "a"), nonce: "b", label: "other")
        let outcome = try await requests.outcome(both, verifier)
        XCTAssertEqual(outcome, .verified)
    }

    func testDefaultsRequireTargetAndNonce() async throws {
        let (clock, key) = (requests.clock, try requests.key().verificationKey)
        let store = try requests.store()
        let verifier = try RequestVerifier(replayStore: store, startedAt: requests.now, clock: clock) { _ in
            key
        }
        let outcome = try await requests.outcome(requests.signed(), verifier)
        XCTAssertEqual(outcome, .verified)
        for missing in SignedRequests.target {
            let request = try requests.signed(covering: SignedRequests.target.filter { $0 != missing })
            let outcome = try await requests.outcome(request, verifier)
            XCTAssertEqual(outcome, .refused(.notCovered), "\(missing)")
        }
        let without = try await requests.outcome(requests.signed(nonce: nil), verifier)
        XCTAssertEqual(without, .refused(.missingParameter))
    }

    /// A head of 12 kB that covers members of a long dictionary in all of its signatures. The time is bounded by the
    /// number of dictionaries that are parsed: it would be half a second with one for each component.
    func testManyMembersOfADictionaryAreParsedOnce() async throws {
        let alphabet = "abcdefghijklmnopqrstuvwxyz".map(String.init)
        let names = alphabet.flatMap { first in alphabet.map { first + $0 } }
        var request = requests.request()
        request.fields = [.init("F", names.joined(separator: ","))]
        let members = try names.prefix(56).map { try Component("f", parameters: ["key": .string($0)]) }
        for index in 0..<8 {
            request = try requests.signed(
                request,
                covering: SignedRequests.target + members,
                nonce: "\(index)",
                label: "s\(index)"
            )
        }
        let outcome = try await requests.outcome(request)
        XCTAssertEqual(outcome, .verified)
    }

    func testNamesOfComponentsCannotForgeLogs() async throws {
        for name in [
            #"@a' (key 'admin') level=info user="root"#, #"x" y="z"#,
            "@" + String(repeating: "a", count: 200),
        ] {
            var request = requests.request()
            let escaped = name.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
            request.fields = [
                .init("Signature-Input", "sig=(\"\(escaped)\");created=1;keyid=\"k1\";nonce=\"n\""),
                .init("Signature", "sig=:AAAA:"),
            ]
            let verification = try await requests.verifier().verify(
                request,
                mayHaveContent: false,
                at: requests.now
            )
            guard case .rejected(let rejection) = verification else { return XCTFail(name) }
            XCTAssertFalse(rejection.description.contains("level=info"), rejection.description)
            XCTAssertFalse(rejection.description.contains("\""), rejection.description)
            XCTAssertLessThan(rejection.description.utf8.count, 160)
        }
    }

    /// What core refuses causes no lookup.
    func testHostileInputsCauseNoLookup() async throws {
        let verifier = try RequestVerifier(replayStore: requests.store(), clock: requests.clock) { keyID in
            XCTFail("\(keyID) was looked up")
            return nil
        }
        let parameters = ";created=\(requests.now.seconds);keyid=\"k1\";nonce=\"n\""
        let target = #""@method" "@authority" "@path" "@query""#
        for input in [
            "()\(parameters)", "(\(target) \"@method\")\(parameters)", "(\(target))\(parameters);unknown=1",
            "(\(target));created=1000000000000000;keyid=\"k1\";nonce=\"n\"",
            "(\(target) \(String(repeating: "\"a\" ", count: 10_000)))\(parameters)",
            "(\(target) \(String(repeating: "\"a\" ", count: 100)))\(parameters)",
            "(\(target))\(parameters), sig=(\(target))\(parameters)",
            "(\(target) \"trailer\";tr)\(parameters)",
        ] {
            var request = requests.request()
            request.fields = [.init("Signature-Input", "sig=\(input)"), .init("Signature", "sig=:AAAA:")]
            let verification = try await verifier.verify(request, mayHaveContent: false, at: requests.now)
            guard case .rejected = verification else { return XCTFail(input) }
        }
    }

    /// A sequence that ends when its task is cancelled has not sent all of the content.
    func testCancelledContentIsNotVerified() async throws {
        guard
            case .verified(let request) = try await requests.verifier().verify(
                requests.signed(),
                mayHaveContent: false,
                at: requests.now
            )
        else { return XCTFail("the request is not verified") }
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let task = Task { try await request.verifiedBody(stream, limit: 10) }
        task.cancel()
        let result = await task.result
        XCTAssertThrowsError(try result.get()) { error in
            XCTAssertEqual(error as? LoginServerError, .cancelled)
        }
        continuation.finish()
    }
}
