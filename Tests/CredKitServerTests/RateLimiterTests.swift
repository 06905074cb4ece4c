// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKitServer

final class RateLimiterTests: XCTestCase {
    private let now: Int64 = 1_471_428_000

    private func limiter(
        account: (Int, Int) = (3, 30),
        source: (Int, Int) = (1000, 10),
        keyLimit: Int = 100
    ) throws -> RateLimiter {
        try RateLimiter(
            account: RateLimit(attempts: account.0, per: account.1),
            source: RateLimit(attempts: source.0, per: source.1),
            keyLimit: keyLimit
        )
    }

    func testBurstIsAllowedAndLaterAttemptsAreSpaced() throws {
        let limiter = try limiter()
        func attempt(_ second: Int64) -> RateLimitResult {
            limiter.recordAttempt(account: "a", source: "s", at: now + second)
        }
        let decisions = [0, 0, 0, 0, 9, 10, 10, 25, 30, 31].map { attempt($0) }
        XCTAssertEqual(
            decisions,
            [
                .allowed, .allowed, .allowed, .limited(retryAfter: 10), .limited(retryAfter: 1), .allowed,
                .limited(retryAfter: 10), .allowed, .allowed, .limited(retryAfter: 9),
            ]
        )
        // After a pause all attempts are available again, and no more than those.
        XCTAssertEqual((0..<4).map { _ in attempt(1000) }.filter { $0 == .allowed }.count, 3)
    }

    func testWaitingForRetryAfterIsSufficient() throws {
        for limit in [(1, 1), (1, 86_400), (7, 60), (1_000_000, 1), (3, 10)] {
            let limiter = try limiter(account: limit, source: (1_000_000, 1))
            var time = now
            for _ in 0..<50 {
                while case .allowed = limiter.recordAttempt(account: "a", source: "s", at: time),
                    limit.0 < 100
                {}
                guard case .limited(let seconds) = limiter.recordAttempt(account: "a", source: "s", at: time)
                else {
                    continue
                }
                XCTAssertGreaterThan(seconds, 0)
                XCTAssertNotEqual(
                    limiter.recordAttempt(account: "a", source: "s", at: time + Int64(seconds) - 1),
                    .allowed
                )
                time += Int64(seconds)
                XCTAssertEqual(limiter.recordAttempt(account: "a", source: "s", at: time), .allowed)
            }
        }
    }

    func testLimitedSourceDoesNotUseUpAnAccount() throws {
        let limiter = try limiter(account: (5, 50), source: (2, 20))
        for _ in 0..<100 { _ = limiter.recordAttempt(account: "victim", source: "attacker", at: now) }
        XCTAssertEqual(
            (0..<3).map { limiter.recordAttempt(account: "victim", source: "home\($0)", at: now) },
            [.allowed, .allowed, .allowed]
        )
        XCTAssertEqual(
            limiter.recordAttempt(account: "victim", source: "other", at: now),
            .limited(retryAfter: 10)
        )
        // A success restores the account's attempts, but not the source's.
        limiter.reset(account: "victim")
        XCTAssertEqual(limiter.recordAttempt(account: "victim", source: "other", at: now), .allowed)
        XCTAssertEqual(
            limiter.recordAttempt(account: nil, source: "attacker", at: now),
            .limited(retryAfter: 10)
        )
    }

    func testManyNamesAreBoundedAndDoNotResetTheGuessedOne() throws {
        let limiter = try limiter(account: (10, 300), source: (1_000_000, 1), keyLimit: 64)
        while limiter.recordAttempt(account: "victim", source: "s", at: now) == .allowed {}
        for index in 0..<10_000 {
            _ = limiter.recordAttempt(
                account: "\(index)",
                source: "source \(index)",
                at: now + Int64(index / 5000)
            )
            XCTAssertLessThanOrEqual(limiter.count, 128)
        }
        XCTAssertNotEqual(limiter.recordAttempt(account: "victim", source: "s", at: now + 2), .allowed)
        let long = String(repeating: "x", count: 1 << 20)
        XCTAssertEqual(limiter.recordAttempt(account: long, source: long, at: now), .allowed)
    }

    func testClockSetBackDoesNotCauseLongWaits() throws {
        let limiter = try limiter()
        for _ in 0..<5 { _ = limiter.recordAttempt(account: "a", source: "s", at: now) }
        guard case .limited(let seconds) = limiter.recordAttempt(account: "a", source: "s", at: now - 86_400)
        else {
            return XCTFail("allowed")
        }
        XCTAssertLessThanOrEqual(seconds, 10)
        for time in [Int64.min, -1, 0, .max] {
            _ = limiter.recordAttempt(account: "b", source: "s", at: time)
        }
    }

    func testConcurrentAttemptsAreCountedExactly() async throws {
        let limiter = try limiter(account: (10, 3600))
        let now = now
        let allowed = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask { limiter.recordAttempt(account: "a", source: "s", at: now) == .allowed }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        XCTAssertEqual(allowed, 10)
    }

    func testLimitsOutOfRangeAreRefused() {
        for (attempts, seconds) in [(0, 1), (1, 0), (-1, 1), (1_000_001, 1), (1, 86_401)] {
            XCTAssertThrowsError(try RateLimit(attempts: attempts, per: seconds))
        }
        XCTAssertThrowsError(try RateLimiter(keyLimit: 0))
    }

    func testAddressesAreGroupedByTheirNetwork() {
        for (address, name) in [
            ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::1", "0:0:0:0::/64"),
            ("2001:db8::1", "2001:db8:0:0::/64"), ("2001:DB8:0:0:ffff::2", "2001:db8:0:0::/64"),
            ("2001:db8:0:1::1", "2001:db8:0:1::/64"), ("fe80::1%eth0", "fe80:0:0:0::/64"),
            ("not:an:address", "not:an:address"), ("", ""), ("example.com", "example.com"),
        ] {
            XCTAssertEqual(ClientAddress.rateLimitKey(for: address), name, address)
        }
    }
}
