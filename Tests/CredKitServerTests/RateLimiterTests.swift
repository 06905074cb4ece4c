// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTesting
import XCTest

@testable import CredKitServer

final class RateLimiterTests: XCTestCase {
    private let clock = ManualClock()

    private func limiter(
        account: (Int, Int) = (3, 30),
        clientAddress: (Int, Int) = (1000, 10),
        keyLimit: Int = 200
    ) throws -> (limiter: RateLimiter, store: InMemoryRateStore) {
        let store = try InMemoryRateStore(keyLimit: keyLimit, clock: clock)
        let limiter = RateLimiter(
            account: try RateLimit(attempts: account.0, per: .seconds(account.1)),
            clientAddress: try RateLimit(attempts: clientAddress.0, per: .seconds(clientAddress.1)),
            store: store
        )
        return (limiter, store)
    }

    private func attempts(_ count: Int, _ limiter: RateLimiter, _ account: String?, _ address: String)
        async throws
        -> [RateLimitResult]
    {
        var results: [RateLimitResult] = []
        for _ in 0..<count {
            results.append(try await limiter.recordAttempt(account: account, clientAddress: address))
        }
        return results
    }

    func testBurstIsAllowedAndLaterAttemptsAreSpaced() async throws {
        let (limiter, _) = try limiter()
        var decisions: [RateLimitResult] = []
        var last = 0
        for second in [0, 0, 0, 0, 9, 10, 10, 25, 30, 31] {
            clock.advance(by: .seconds(second - last))
            last = second
            decisions += try await attempts(1, limiter, "a", "s")
        }
        XCTAssertEqual(
            decisions,
            [
                .allowed, .allowed, .allowed, .limited(retryAfter: .seconds(10)),
                .limited(retryAfter: .seconds(1)),
                .allowed, .limited(retryAfter: .seconds(10)), .allowed, .allowed,
                .limited(retryAfter: .seconds(9)),
            ]
        )
        // After a pause all attempts are available again, and no more than those.
        clock.advance(by: .seconds(1000))
        let later = try await attempts(4, limiter, "a", "s")
        XCTAssertEqual(later.filter { $0 == .allowed }.count, 3)
    }

    func testWaitsAreRoundedUpToWholeSecondsAndAreSufficient() async throws {
        for limit in [(1, 1), (1, 86_400), (7, 60), (1_000_000, 1), (3, 10)] {
            let (limiter, _) = try limiter(account: limit, clientAddress: (1_000_000, 1))
            for _ in 0..<50 {
                while case .allowed = try await limiter.recordAttempt(account: "a", clientAddress: "s"),
                    limit.0 < 100
                {}
                guard
                    case .limited(let wait) = try await limiter.recordAttempt(
                        account: "a",
                        clientAddress: "s"
                    )
                else { continue }
                XCTAssertGreaterThan(wait, .zero)
                XCTAssertEqual(wait.components.attoseconds, 0)
                clock.advance(by: wait - .seconds(1))
                let early = try await attempts(1, limiter, "a", "s")
                XCTAssertNotEqual(early, [.allowed])
                clock.advance(by: .seconds(1))
                let inTime = try await attempts(1, limiter, "a", "s")
                XCTAssertEqual(inTime, [.allowed])
            }
        }
    }

    func testLimitedAddressDoesNotUseUpAnAccount() async throws {
        let (limiter, _) = try limiter(account: (5, 50), clientAddress: (2, 20))
        _ = try await attempts(100, limiter, "victim", "attacker")
        for index in 0..<3 {
            let answer = try await attempts(1, limiter, "victim", "home\(index)")
            XCTAssertEqual(answer, [.allowed])
        }
        var answer = try await attempts(1, limiter, "victim", "other")
        XCTAssertEqual(answer, [.limited(retryAfter: .seconds(10))])
        // A success restores the account's attempts, but not the address's.
        try await limiter.reset(account: "victim")
        answer = try await attempts(1, limiter, "victim", "other")
        XCTAssertEqual(answer, [.allowed])
        answer = try await attempts(1, limiter, nil, "attacker")
        XCTAssertEqual(answer, [.limited(retryAfter: .seconds(10))])
    }

    func testLimitedAccountDoesNotUseUpAnAddress() async throws {
        let (limiter, _) = try limiter(account: (2, 20), clientAddress: (5, 50))
        let guesses = try await attempts(100, limiter, "victim", "office")
        XCTAssertEqual(guesses.filter { $0 == .allowed }.count, 2)
        // Three attempts of the address are left for other users.
        let others =
            try await attempts(1, limiter, "a", "office") + attempts(1, limiter, "b", "office")
            + attempts(1, limiter, nil, "office")
        XCTAssertEqual(others, [.allowed, .allowed, .allowed])
        let over = try await attempts(1, limiter, "c", "office")
        XCTAssertEqual(over, [.limited(retryAfter: .seconds(10))])
    }

    func testManyNamesAreBoundedAndDoNotResetTheGuessedOne() async throws {
        let (limiter, store) = try limiter(account: (10, 300), clientAddress: (1_000_000, 1), keyLimit: 128)
        while try await limiter.recordAttempt(account: "victim", clientAddress: "s") == .allowed {}
        for index in 0..<10_000 {
            if index == 5000 { clock.advance(by: .seconds(1)) }
            _ = try await limiter.recordAttempt(account: "\(index)", clientAddress: "source \(index)")
            XCTAssertLessThanOrEqual(store.count, 128)
        }
        var answer = try await attempts(1, limiter, "victim", "s")
        XCTAssertNotEqual(answer, [.allowed])
        let long = String(repeating: "x", count: 1 << 20)
        answer = try await attempts(1, limiter, long, long)
        XCTAssertEqual(answer, [.allowed])
    }

    func testConcurrentAttemptsAreCountedExactly() async throws {
        let (limiter, _) = try limiter(account: (10, 3600))
        let allowed = try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await limiter.recordAttempt(account: "a", clientAddress: "s") == .allowed
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        XCTAssertEqual(allowed, 10)
    }

    func testLimitsOutOfRangeAreRefused() {
        for (attempts, seconds) in [(0, 1), (1, 0), (-1, 1), (1_000_001, 1), (1, 86_401)] {
            XCTAssertThrowsError(try RateLimit(attempts: attempts, per: .seconds(seconds)))
        }
        XCTAssertThrowsError(try InMemoryRateStore(keyLimit: 0))
    }

    func testAddressesAreGroupedByTheirNetwork() {
        for (address, name) in [
            ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"), ("::1", "0:0:0:0::/64"),
            ("64:ff9b::192.0.2.1", "192.0.2.1"), ("64:ff9b::c000:201", "192.0.2.1"),
            ("64:ff9b:1::c000:201", "64:ff9b:1:0::/64"), ("64:ff9b::1:c000:201", "64:ff9b:0:0::/64"),
            ("2001:db8::1", "2001:db8:0:0::/64"), ("2001:DB8:0:0:ffff::2", "2001:db8:0:0::/64"),
            ("2001:db8:0:1::1", "2001:db8:0:1::/64"), ("fe80::1%eth0", "fe80:0:0:0::/64"),
            ("not:an:address", "not:an:address"), ("", ""), ("example.com", "example.com"),
        ] {
            XCTAssertEqual(ClientAddress.rateLimitKey(for: address), name, address)
        }
    }
}
