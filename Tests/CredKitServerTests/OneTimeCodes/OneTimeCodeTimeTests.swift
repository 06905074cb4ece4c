// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTesting
import XCTest

/// Codes with the time, as ``OneTimeCodeVerifier`` documents them.
final class OneTimeCodeTimeTests: XCTestCase {
    private let clock = ManualClock()
    private let start = UnixTime(1_800_000_000)
    private var key: OneTimeCodeKey!

    override func setUpWithError() throws {
        // The codes of nearby periods differ: equal ones are tested below.
        key = try OneTimeCodeKey(seed: SecretBytes(Array("12345678901234567890".utf8)))
    }

    private func verifier(
        before: Int = 1,
        after: Int = 1,
        maximumDrift: Int = 0,
        store: (any ReplayStore)? = nil,
        limit: RateLimit? = nil,
        rateStore: (any RateStore)? = nil
    ) throws -> OneTimeCodeVerifier {
        try OneTimeCodeVerifier(
            before: before,
            after: after,
            maximumDrift: maximumDrift,
            replayStore: store ?? InMemoryReplayStore(isFirstStart: true, clock: clock),
            rateStore: rateStore ?? InMemoryRateStore(clock: clock),
            limit: limit ?? RateLimit(attempts: 1_000_000, per: .seconds(60)),
            startedAt: start,
            clock: clock
        )
    }

    private func code(_ offset: Int64, at now: UnixTime) throws -> String {
        try key.code(at: UnixTime(now.seconds + 30 * offset)).text
    }

    func testTheWindowIsAcceptedAndNothingElse() async throws {
        for (before, after) in [(0, 0), (1, 1), (2, 0), (0, 3), (10, 10)] {
            for offset in -12...12 as ClosedRange<Int64> {
                let verifier = try verifier(before: before, after: after)
                let result = try await verifier.verify(
                    code(offset, at: start),
                    account: "a",
                    key: key,
                    at: start
                )
                let isInside = -Int64(before)...Int64(after) ~= offset
                XCTAssertEqual(
                    result,
                    isInside ? .accepted(drift: 0) : .rejected,
                    "\(offset) in \(before), \(after)"
                )
            }
        }
    }

    func testACodeCountsOnceAndUsesUpOlderOnes() async throws {
        let verifier = try verifier()
        func verify(_ offset: Int64, after seconds: Int64 = 0, account: String = "a") async throws
            -> OneTimeCodeVerification
        {
            let text = try code(offset, at: start)
            return try await verifier.verify(
                text,
                account: account,
                key: key,
                at: UnixTime(start.seconds + seconds)
            )
        }
        var result = try await verify(0)
        XCTAssertEqual(result, .accepted(drift: 0))
        for seconds in [0, 1, 29, 30, 59] as [Int64] {
            clock.advance(by: .seconds(1))
            result = try await verify(0, after: seconds)
            XCTAssertEqual(result, .replayed, "\(seconds)")
        }
        result = try await verify(-1)
        XCTAssertEqual(result, .replayed, "an older code")
        result = try await verify(1)
        XCTAssertEqual(result, .accepted(drift: 0), "the next code")
        result = try await verify(0)
        XCTAssertEqual(result, .replayed)
        result = try await verify(-1, account: "b")
        XCTAssertEqual(result, .accepted(drift: 0), "another account")
    }

    func testOneOfManyTasksOnSeveralServersIsAccepted() async throws {
        let store = try InMemoryReplayStore(isFirstStart: true, clock: clock)
        let verifiers = try (0..<4).map { _ in try verifier(store: store) }
        let (text, key, start) = (try code(0, at: start), try XCTUnwrap(key), start)
        let results = try await withThrowingTaskGroup(of: OneTimeCodeVerification.self) { group in
            for task in 0..<64 {
                group.addTask {
                    try await verifiers[task % 4].verify(text, account: "a", key: key, at: start)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        XCTAssertEqual(results.count { $0 == .accepted(drift: 0) }, 1)
        XCTAssertEqual(results.count { $0 == .replayed }, 63)
    }

    func testEqualCodesOfTwoPeriodsCountOnce() async throws {
        // Two periods of this seed whose codes are equal by chance.
        let (first, second): (UInt64, UInt64) = (2386, 2394)
        let text = key.code(counter: first).text
        XCTAssertEqual(text, key.code(counter: second).text)
        let verifier = try verifier(before: 10, after: 10)
        let now = UnixTime(2390 * 30)
        var result = try await verifier.verify(text, account: "a", key: key, at: now)
        XCTAssertEqual(result, .accepted(drift: 0))
        // It is still the code of a period whose use was not seen.
        for seconds in [0, 100, 200] as [Int64] {
            clock.advance(by: .seconds(100))
            result = try await verifier.verify(
                text,
                account: "a",
                key: key,
                at: UnixTime(now.seconds + seconds)
            )
            XCTAssertEqual(result, .replayed)
        }
    }

    func testTheWindowFollowsTheDriftOfADevice() async throws {
        for direction in [1, -1] { try await checkDrift(direction) }
    }

    private func checkDrift(_ direction: Int) async throws {
        let verifier = try verifier(maximumDrift: 5)
        var drift = 0
        var now = start
        // The clock of the device runs ahead or behind by one period a day.
        for day in 1...5 {
            now = now + .seconds(86_400)
            clock.advance(by: .seconds(86_400))
            let text = try code(Int64(day * direction), at: now)
            if day > 1 {
                let result = try await verifier.verify(text, account: "a", key: key, at: now)
                XCTAssertEqual(result, .rejected, "without the drift, on day \(day)")
            }
            let result = try await verifier.verify(text, account: "a", key: key, drift: drift, at: now)
            XCTAssertEqual(result, .accepted(drift: day * direction))
            if case .accepted(let new) = result { drift = new }
        }
        // Farther than the maximum the window does not move, whatever was stored.
        for stored in [5, 6, Int.max] {
            let text = try code(7, at: now)
            let result = try await verifier.verify(text, account: "a", key: key, drift: stored, at: now)
            XCTAssertEqual(result, .rejected)
        }
        let text = try code(-7, at: now)
        let result = try await verifier.verify(text, account: "a", key: key, drift: .min, at: now)
        XCTAssertEqual(result, .rejected)
    }

    func testAUsedCodeIsRememberedForEveryDrift() async throws {
        let verifier = try verifier(maximumDrift: 5)
        let text = try code(0, at: start)
        let result = try await verifier.verify(text, account: "a", key: key, at: start)
        XCTAssertEqual(result, .accepted(drift: 0))
        for step in 1...8 as ClosedRange<Int64> {
            clock.advance(by: .seconds(30))
            for drift in -6...6 {
                let now = UnixTime(start.seconds + 30 * step)
                let result = try await verifier.verify(text, account: "a", key: key, drift: drift, at: now)
                XCTAssertTrue([.replayed, .rejected].contains(result), "\(result) at \(step), \(drift)")
            }
        }
    }

    func testAnEmptyStoreAcceptsNoCodeFromBeforeTheStart() async throws {
        let store = try InMemoryReplayStore(clock: clock)
        let verifier = try verifier(store: store)
        var waits = 0
        var now = start
        while waits < 20 {
            let text = try code(0, at: now)
            let result = try await verifier.verify(text, account: "a", key: key, at: now)
            guard case .unavailable(let wait) = result else {
                XCTAssertEqual(result, .accepted(drift: 0))
                break
            }
            XCTAssertGreaterThan(wait, .zero)
            waits += 1
            now = now + .seconds(30)
            clock.advance(by: .seconds(30))
        }
        XCTAssertTrue(1...4 ~= waits, "\(waits)")
    }

    func testACodeThatAnEarlierProcessMayHaveAcceptedIsUnavailable() async throws {
        // 5 seconds after the begin of its period, a code is valid since 35 seconds, and 30 more for each period of drift.
        let cases: [(drift: Int, uptime: Int64, isAccepted: Bool)] = [
            (0, 35, false), (0, 65, true), (5, 65, false), (5, 185, false), (5, 215, true),
        ]
        for (drift, uptime, isAccepted) in cases {
            let store = try InMemoryReplayStore(clock: clock)
            let verifier = try verifier(maximumDrift: drift, store: store)
            clock.advance(by: .seconds(uptime))
            let now = UnixTime(start.seconds + uptime)
            let result = try await verifier.verify(code(0, at: now), account: "a", key: key, at: now)
            if isAccepted {
                XCTAssertEqual(result, .accepted(drift: 0), "\(drift), \(uptime)")
            } else if case .unavailable = result {
            } else {
                XCTFail("\(drift), \(uptime): \(result)")
            }
        }
    }

    func testAClockThatIsSetBackMakesNoCodeValidAgain() async throws {
        let verifier = try verifier()
        let text = try code(0, at: start)
        var result = try await verifier.verify(text, account: "a", key: key, at: start)
        XCTAssertEqual(result, .accepted(drift: 0))
        clock.advance(by: .seconds(1000))
        result = try await verifier.verify(text, account: "a", key: key, at: start)
        XCTAssertEqual(result, .replayed)
    }

    func testOtherTextsAreMalformedAndNoAttempt() async throws {
        let verifier = try verifier(limit: RateLimit(attempts: 1, per: .seconds(3600)))
        let text = try code(0, at: start)
        for other in [
            "", " \(text)", "\(text) ", "\(text)\n", "+\(text)", "\(text)0", String(text.dropLast()),
            "١٢٣٤٥٦",
            "１２３４５６", "\(text.prefix(3)) \(text.suffix(3))", String(repeating: "1", count: 1 << 20),
        ] {
            let result = try await verifier.verify(other, account: "a", key: key, at: start)
            XCTAssertEqual(result, .malformed, other)
        }
        let result = try await verifier.verify(text, account: "a", key: key, at: start)
        XCTAssertEqual(result, .accepted(drift: 0))
    }

    func testGuessesAreLimitedUntilASuccess() async throws {
        let store = try InMemoryRateStore(clock: clock)
        let limit = RateLimit.standardPerOneTimeCode
        let verifier = try verifier(limit: limit, rateStore: store)
        let wrong = try code(100, at: start)
        for _ in 0..<9 {
            let result = try await verifier.verify(wrong, account: "a", key: key, at: start)
            XCTAssertEqual(result, .rejected)
        }
        var result = try await verifier.verify(code(0, at: start), account: "a", key: key, at: start)
        XCTAssertEqual(result, .accepted(drift: 0))
        for _ in 0..<10 {
            result = try await verifier.verify(wrong, account: "a", key: key, at: start)
            XCTAssertEqual(result, .rejected)
        }
        // The correct code as well, and no other account.
        result = try await verifier.verify(code(1, at: start), account: "a", key: key, at: start)
        XCTAssertEqual(result, .limited(retryAfter: .seconds(8640)))
        result = try await verifier.verify(code(1, at: start), account: "b", key: key, at: start)
        XCTAssertEqual(result, .accepted(drift: 0))
    }

    func testTroubleIsThrown() async throws {
        func name(of error: any Error) -> LoginServerError.Code? { (error as? LoginServerError)?.code }
        let text = try code(0, at: start)
        for (replay, rate) in [(true, false), (false, true)] {
            let verifier = try verifier(
                store: replay ? FailingStore() : nil,
                rateStore: rate ? FailingStore() : nil
            )
            do {
                _ = try await verifier.verify(text, account: "a", key: key, at: start)
                XCTFail("a store failed")
            } catch {
                XCTAssertEqual(name(of: error), .storeFailed)
                XCTAssertFalse("\(error)".contains(text))
            }
        }
        for seconds in [-1, Int64.min, Int64.max] {
            do {
                _ = try await verifier().verify(text, account: "a", key: key, at: UnixTime(seconds))
                XCTFail("\(seconds)")
            } catch {
                XCTAssertEqual(name(of: error), .timeOutOfRange)
            }
        }
        for (before, after, drift) in [
            (-1, 0, 0), (11, 0, 0), (0, -1, 0), (0, 11, 0), (0, 0, 21), (0, 0, -1),
        ] {
            XCTAssertThrowsError(try verifier(before: before, after: after, maximumDrift: drift)) {
                XCTAssertEqual(name(of: $0), .invalidConfiguration)
            }
        }
    }

    func testTheFirstPeriodsHaveNoEarlierOnes() async throws {
        for seconds in [0, 29, 30] as [Int64] {
            let now = UnixTime(seconds)
            let verifier = try verifier()
            let result = try await verifier.verify(key.code(at: now).text, account: "a", key: key, at: now)
            XCTAssertEqual(result, .accepted(drift: 0))
        }
    }
}

/// A store that never answers.
private struct FailingStore: ReplayStore, RateStore {
    private struct Failure: Error {}

    func markUsed(_: StoreKey, account _: StoreKey, lifetime _: Duration, challengeAge _: Duration) throws
        -> ReplayDecision
    { throw Failure() }

    func charge(_: [RateCharge]) throws -> RateLimitResult { throw Failure() }

    func reset(_: StoreKey) throws { throw Failure() }
}
