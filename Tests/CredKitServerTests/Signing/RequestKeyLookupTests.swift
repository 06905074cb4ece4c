// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTesting
import XCTest

/// When a ``RequestVerifier`` looks keys up.
final class RequestKeyLookupTests: XCTestCase {
    private typealias Outcome = SignedRequests.Outcome
    private let requests = SignedRequests()

    private actor Lookups {
        private(set) var names: [String] = []
        func record(_ name: String) { names.append(name) }
    }

    private func verifier(
        _ find: @escaping @Sendable (String) async throws -> MessageSignature.VerificationKey?
    ) throws -> RequestVerifier {
        try RequestVerifier(
            replayStore: requests.store(),
            startedAt: requests.now,
            clock: requests.clock,
            key: find
        )
    }

    func testLooksUpEachNameOnceAndOnlyOfSignaturesThatMeetThePolicy() async throws {
        let (lookups, key) = (Lookups(), try requests.key().verificationKey)
        let verifier = try verifier { name in
            await lookups.record(name)
            return name == "k1" ? key : nil
        }
        var request = requests.request()
        for (index, name) in ["old", "k2", "k2", "untimely", "k1", "k2", "narrow"].enumerated() {
            request = try requests.signed(
                request,
                covering: name == "narrow" ? [.method] : nil,
                keyID: name,
                created: name == "old" ? -301 : name == "untimely" ? 6 : 0,
                nonce: "\(index)",
                label: "s\(index)"
            )
        }
        let outcome = try await requests.outcome(request, verifier)
        XCTAssertEqual(outcome, .verified)
        let names = await lookups.names
        XCTAssertEqual(names, ["k2", "k1"])
        // Eight signatures are looked up, nine are too many.
        var many = requests.request()
        var outcomes: [Outcome] = []
        for index in 0..<9 {
            many = try requests.signed(many, keyID: "x\(index)", label: "s\(index)")
            outcomes.append(try await requests.outcome(many, verifier))
        }
        XCTAssertEqual(
            outcomes,
            Array(repeating: .refused(.unknownKey), count: 8) + [.refused(.limitExceeded)]
        )
        let count = await lookups.names.count
        XCTAssertEqual(count, 2 + (1...8).reduce(0, +))
    }

    func testSignatureThatExpiresDuringTheLookupIsRejected() async throws {
        let (clock, key) = (requests.clock, try requests.key().verificationKey)
        for (wait, expected) in [(Duration.seconds(8), Outcome.verified), (.seconds(9), .refused(.expired))] {
            let verifier = try verifier { _ in
                clock.advance(by: wait)
                return key
            }
            let outcome = try await requests.outcome(try requests.signed(expires: 10), verifier)
            XCTAssertEqual(outcome, expected)
        }
    }

    func testFailureOfTheLookupIsThrown() async throws {
        struct Failure: Error {}
        for (failure, expected) in [
            (Failure() as any Error, LoginServerError.lookupFailed), (CancellationError(), .cancelled),
        ] {
            do {
                let outcome = try await requests.outcome(
                    try requests.signed(),
                    verifier { _ in throw failure }
                )
                XCTFail("\(outcome)")
            } catch let error as LoginServerError {
                XCTAssertEqual(error, expected)
                XCTAssertEqual(error.underlying is Failure, failure is Failure)
            }
        }
    }
}
