// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTesting
import XCTest

/// Codes with a counter, as ``OneTimeCodeVerifier`` documents them.
final class OneTimeCodeCounterTests: XCTestCase {
    private let store = InMemoryCounterStore()
    private var key: OneTimeCodeKey!

    override func setUpWithError() throws {
        key = try OneTimeCodeKey(
            seed: SecretBytes(Array("12345678901234567890".utf8)),
            kind: .counter(next: 5)
        )
    }

    private func verifier(lookAhead: Int = 10, attempts: Int = 1_000_000) throws -> OneTimeCodeVerifier {
        try OneTimeCodeVerifier(
            lookAhead: lookAhead,
            replayStore: InMemoryReplayStore(isFirstStart: true),
            rateStore: InMemoryRateStore(),
            counterStore: store,
            limit: RateLimit(attempts: attempts, per: .seconds(86_400))
        )
    }

    private func verify(
        _ counter: UInt64,
        _ verifier: OneTimeCodeVerifier
    ) async throws -> OneTimeCodeVerification {
        try await verifier.verify(key.code(counter: counter).text, account: "a", key: key)
    }

    func testCodesAreAcceptedInTheirOrder() async throws {
        let verifier = try verifier()
        let steps: [(UInt64, OneTimeCodeVerification, UInt64?)] = [
            (4, .rejected, nil), (5, .accepted(drift: 0), 6), (5, .rejected, 6), (6, .accepted(drift: 0), 7),
            (9, .accepted(drift: 2), 10), (8, .rejected, 10), (21, .rejected, 10),
            (20, .accepted(drift: 10), 21), (20, .rejected, 21),
        ]
        for (counter, expected, stored) in steps {
            let result = try await verify(counter, verifier)
            XCTAssertEqual(result, expected, "\(counter)")
            XCTAssertEqual(store.counter(of: "a"), stored)
        }
    }

    func testOneOfManyTasksIsAccepted() async throws {
        let verifiers = try (0..<4).map { _ in try verifier() }
        let key = try XCTUnwrap(key)
        for counter in 5...8 as ClosedRange<UInt64> {
            let text = key.code(counter: counter).text
            let results = try await withThrowingTaskGroup(of: OneTimeCodeVerification.self) { group in
                for task in 0..<64 {
                    group.addTask { try await verifiers[task % 4].verify(text, account: "a", key: key) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            XCTAssertEqual(results.count { $0 == .accepted(drift: 0) }, 1)
            XCTAssertEqual(results.count { [.replayed, .rejected].contains($0) }, 63)
        }
        XCTAssertEqual(store.counter(of: "a"), 9)
    }

    func testADeviceFarAheadIsFoundByConsecutiveCodes() async throws {
        let verifier = try verifier()
        func codes(_ counters: [UInt64]) -> [String] { counters.map { key.code(counter: $0).text } }
        let steps: [([UInt64], OneTimeCodeVerification)] = [
            ([500], .malformed), ([], .malformed), ([1, 2, 3, 4, 5, 6], .malformed),
            ([500, 502], .rejected), ([501, 500], .rejected), ([3, 4], .rejected), ([4, 5], .rejected),
            ([1006, 1007], .rejected), ([500, 501], .accepted(drift: 495)), ([500, 501], .rejected),
            ([502, 503, 504], .accepted(drift: 0)),
        ]
        for (counters, expected) in steps {
            let result = try await verifier.resynchronize(codes(counters), account: "a", key: key)
            XCTAssertEqual(result, expected, "\(counters)")
        }
        XCTAssertEqual(store.counter(of: "a"), 505)
        let mixed = try await verifier.resynchronize(["505505", "12345"], account: "a", key: key)
        XCTAssertEqual(mixed, .malformed)
        let result = try await verify(505, verifier)
        XCTAssertEqual(result, .accepted(drift: 0))
    }

    func testEveryAttemptCounts() async throws {
        let verifier = try verifier(attempts: 2)
        var result = try await verify(400, verifier)
        XCTAssertEqual(result, .rejected)
        result = try await verifier.resynchronize(["123456", "654321"], account: "a", key: key)
        XCTAssertEqual(result, .rejected)
        result = try await verify(5, verifier)
        guard case .limited = result else { return XCTFail("\(result)") }
        result = try await verifier.resynchronize(["123456", "654321"], account: "a", key: key)
        guard case .limited = result else { return XCTFail("\(result)") }
    }

    func testTheEndOfTheRangeIsNoTrap() async throws {
        let verifier = try verifier(lookAhead: 100)
        let nexts: [UInt64] = [.max, .max - 1, .max - 2, .max - 50]
        for next in nexts {
            let key = try key.withCounter(next)
            let last = try await verifier.verify(key.code(counter: .max).text, account: "\(next)", key: key)
            XCTAssertEqual(last, .rejected)
            let codes = [key.code(counter: .max - 1).text, key.code(counter: .max).text]
            let pair = try await verifier.resynchronize(codes, account: "\(next)", key: key)
            XCTAssertEqual(pair, .rejected)
        }
        let result = try await verifier.verify(
            key.code(counter: .max - 1).text,
            account: "b",
            key: key.withCounter(.max - 10)
        )
        XCTAssertEqual(result, .accepted(drift: 9))
        XCTAssertEqual(store.counter(of: "b"), .max)
    }

    func testAMissingStoreIsAnError() async throws {
        let without = try OneTimeCodeVerifier(
            replayStore: InMemoryReplayStore(isFirstStart: true),
            rateStore: InMemoryRateStore()
        )
        do {
            _ = try await verify(5, without)
            XCTFail("there is no store")
        } catch {
            XCTAssertEqual(error as? LoginServerError, .invalidConfiguration)
        }
        let timed = try OneTimeCodeKey(seed: key.seed)
        do {
            _ = try await verifier().resynchronize(["123456", "123456"], account: "a", key: timed)
            XCTFail("the key has no counter")
        } catch {
            XCTAssertEqual(error as? LoginServerError, .invalidConfiguration)
        }
    }
}
