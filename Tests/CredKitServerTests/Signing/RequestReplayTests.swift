// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTesting
import XCTest

/// That a signed request is accepted once.
final class RequestReplayTests: XCTestCase {
    private typealias Outcome = SignedRequests.Outcome
    private let requests = SignedRequests()

    /// A store of another kind, which suspends before it decides, and says what it was asked.
    private actor RecordingStore: ReplayStore {
        private var used: Set<StoreKey> = []
        private(set) var lifetimes: [Duration] = []
        private(set) var ages: [Duration] = []

        func markUsed(
            _ key: StoreKey,
            account: StoreKey,
            lifetime: Duration,
            challengeAge: Duration
        ) async throws -> ReplayDecision {
            await Task.yield()
            lifetimes.append(lifetime)
            ages.append(challengeAge)
            return used.insert(key).inserted ? .accepted : .replayed
        }
    }

    private struct FixedStore: ReplayStore {
        struct Failure: Error {}
        let decision: ReplayDecision?

        func markUsed(
            _: StoreKey,
            account _: StoreKey,
            lifetime _: Duration,
            challengeAge _: Duration
        ) async throws -> ReplayDecision {
            guard let decision else { throw Failure() }
            return decision
        }
    }

    func testOneOfAThousandCopiesIsVerified() async throws {
        let stores: [any ReplayStore] = [try requests.store(), RecordingStore()]
        for store in stores {
            let verifier = try requests.verifier(store: store)
            let (requests, request) = (requests, try requests.signed())
            let outcomes = try await withThrowingTaskGroup(of: [Outcome].self) { group in
                for task in 0..<64 {
                    group.addTask {
                        var outcomes: [Outcome] = []
                        for _ in stride(from: task, to: 1000, by: 64) {
                            outcomes.append(try await requests.outcome(request, verifier))
                        }
                        return outcomes
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            XCTAssertEqual(outcomes.count, 1000)
            XCTAssertEqual(outcomes.count { $0 == .verified }, 1)
            XCTAssertEqual(outcomes.count { $0 == .rejected(.replayed) }, 999)
        }
    }

    func testNoncesOfDifferentKeysAreIndependent() async throws {
        let keys = ["k1": try requests.key().verificationKey, "k2": try requests.key(2).verificationKey]
        let verifier = try requests.verifier(keys: keys)
        let outcomes = [
            try await requests.outcome(try requests.signed(), verifier),
            try await requests.outcome(try requests.signed(by: requests.key(2), keyID: "k2"), verifier),
            // The same nonce in a different request.
            try await requests.outcome(try requests.signed(created: 1, tag: "other"), verifier),
            try await requests.outcome(try requests.signed(nonce: "N"), verifier),
        ]
        XCTAssertEqual(outcomes, [.verified, .verified, .rejected(.replayed), .verified])
    }

    func testOnlyValidRequestsAreStored() async throws {
        let store = try requests.store()
        let verifier = try requests.verifier(store: store)
        var digestless = requests.request()
        digestless.fields = [.init("Content-Digest", "md5=:AAAA:")]
        for request in [
            try requests.signed(by: requests.key(2)), try requests.signed(keyID: "k2"),
            try requests.signed(created: -400), try requests.signed(digestless),
        ] {
            let outcome = try await requests.outcome(request, verifier)
            XCTAssertNotEqual(outcome, .verified)
        }
        XCTAssertEqual(store.count, 0)
        let outcome = try await requests.outcome(try requests.signed(), verifier)
        XCTAssertEqual(outcome, .verified)
        XCTAssertEqual(store.count, 1)
    }

    func testRequestStaysUsedUntilItIsTooOld() async throws {
        let verifier = try requests.verifier()
        let request = try requests.signed(created: 5)
        let first = try await requests.outcome(request, verifier)
        XCTAssertEqual(first, .verified)
        for second in Int64(1)...320 {
            requests.clock.advance(by: .seconds(1))
            let outcome = try await requests.outcome(request, verifier, at: second)
            XCTAssertEqual(outcome, second <= 305 ? .rejected(.replayed) : .refused(.tooOld), "\(second)")
        }
    }

    func testClockSetBackAllowsNoReplay() async throws {
        let store = try requests.store()
        let verifier = try requests.verifier(store: store)
        let request = try requests.signed(expires: 60)
        let first = try await requests.outcome(request, verifier)
        XCTAssertEqual(first, .verified)
        // The store drops the nonce, then the clock is set back to a time at which the request was valid.
        requests.clock.advance(by: .seconds(600))
        let other = try await requests.outcome(try requests.signed(nonce: "other"), verifier)
        XCTAssertEqual(other, .verified)
        XCTAssertEqual(store.count, 1)
        for second in Int64(0)..<60 {
            let outcome = try await requests.outcome(request, verifier, at: second)
            XCTAssertEqual(outcome, .rejected(.replayed), "\(second)")
        }
        // A process that starts before the clock is set back, with a store that starts empty, was not there.
        let empty = try InMemoryReplayStore(clock: requests.clock)
        let key = try requests.key().verificationKey
        let later = try RequestVerifier(
            replayStore: empty,
            startedAt: requests.now + .seconds(600),
            clock: requests.clock
        ) { _ in key }
        requests.clock.advance(by: .seconds(30))
        let outcome = try await requests.outcome(request, later)
        guard case .unavailable = outcome else { return XCTFail("\(outcome)") }
    }

    func testStoreThatStartsEmptyAcceptsOnlyRequestsSignedLater() async throws {
        let store = try InMemoryReplayStore(clock: requests.clock)
        let verifier = try requests.verifier(store: store)
        requests.clock.advance(by: .seconds(10))
        let early = try await requests.outcome(try requests.signed(created: 4, nonce: "a"), verifier, at: 10)
        // A server whose clock is 5 seconds ahead could accept it 10 seconds before it was made, and a second of rounding.
        XCTAssertEqual(early, .unavailable(.seconds(8)))
        let later = try await requests.outcome(try requests.signed(created: 12, nonce: "b"), verifier, at: 10)
        XCTAssertEqual(later, .verified)
    }

    func testNonceIsStoredUntilTheSignatureIsRefusedByEveryServer() async throws {
        let store = RecordingStore()
        let verifier = try requests.verifier(store: store)
        _ = try await requests.outcome(try requests.signed(created: -100, nonce: "a"), verifier)
        _ = try await requests.outcome(try requests.signed(expires: 20, nonce: "b"), verifier)
        _ = try await requests.outcome(try requests.signed(created: 5, nonce: "c"), verifier)
        // Until the first second that is refused, and 6 seconds for servers whose clocks are behind.
        let lifetimes = await store.lifetimes
        XCTAssertEqual(lifetimes, [201 + 6, 20 + 6, 306 + 6].map { Duration.seconds($0) })
        let ages = await store.ages
        XCTAssertEqual(ages, [112, 12, 7].map { Duration.seconds($0) })
    }

    func testLimitOfAKey() async throws {
        let store = try requests.store(perAccountLimit: 2)
        let verifier = try requests.verifier(store: store)
        var outcomes: [Outcome] = []
        for nonce in ["a", "b", "c", "a"] {
            outcomes.append(try await requests.outcome(try requests.signed(nonce: nonce), verifier))
        }
        let full = Outcome.unavailable(.seconds(307))
        XCTAssertEqual(outcomes, [.verified, .verified, full, .rejected(.replayed)])
    }

    func testTroubleOfTheStoreVerifiesNothing() async throws {
        let request = try requests.signed()
        let waiting = try requests.verifier(
            store: FixedStore(decision: .unavailable(retryAfter: .milliseconds(1100)))
        )
        let outcome = try await requests.outcome(request, waiting)
        XCTAssertEqual(outcome, .unavailable(.seconds(2)))
        let broken = try requests.verifier(store: FixedStore(decision: nil))
        do {
            let outcome = try await requests.outcome(request, broken)
            XCTFail("\(outcome)")
        } catch let error as LoginServerError {
            XCTAssertEqual(error, .storeFailed)
            XCTAssertTrue(error.underlying is FixedStore.Failure)
        }
    }
}
