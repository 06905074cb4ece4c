// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKitTesting
import XCTest

@testable import CredKitServer

/// Attempts are still counted while the shared store fails.
final class FallbackRateStoreTests: XCTestCase {
    /// A shared store that fails as a test tells it.
    private final class Shared: RateStore {
        let store: InMemoryRateStore
        let fails = Lock(false)
        let calls = Lock(0)

        init(clock: ManualClock) throws { store = try InMemoryRateStore(clock: clock) }

        private func check() throws {
            calls.withLock { $0 += 1 }
            if fails.withLock({ $0 }) { throw SharedStateError(.timedOut) }
        }

        func charge(_ charges: [RateCharge]) async throws -> RateLimitResult {
            try check()
            return store.charge(charges)
        }

        func reset(_ key: StoreKey) async throws {
            try check()
            store.reset(key)
        }
    }

    private let clock = ManualClock()
    private let key = StoreKey("account", "alice")

    private func attempts(_ store: some RateStore, of limit: RateLimit) async throws -> Int {
        var count = 0
        while count < 1000, try await store.charge([RateCharge(key, limit: limit)]) == .allowed { count += 1 }
        return count
    }

    func testTheSharedStorePassesThrough() async throws {
        let clock = clock
        try await RateStoreSuite(advance: { clock.advance(by: $0) }) {
            try FallbackRateStore(Shared(clock: clock), serverCount: 4, clock: clock)
        }.run()
    }

    /// Four servers together exceed the limit by no more than the limit itself, whatever each has counted before.
    func testServersTogetherAllowTheirPartsOfTheLimit() async throws {
        let limit = try RateLimit(attempts: 10, per: .seconds(600))
        let shared = try Shared(clock: clock)
        let servers = try (0..<4).map { _ in try FallbackRateStore(shared, serverCount: 4, clock: clock) }
        let granted = try await attempts(servers[0], of: limit)
        XCTAssertEqual(granted, 10)
        shared.fails.withLock { $0 = true }
        var more = 0
        for server in servers {
            more += try await attempts(server, of: limit)
            XCTAssertTrue(server.isFallenBack)
        }
        XCTAssertEqual(more, 8)
        let least = try RateLimit(attempts: 1, per: .seconds(600))
        let other = StoreKey("account", "bob")
        for server in servers {
            let result = try await server.charge([RateCharge(other, limit: least)])
            XCTAssertEqual(result, .allowed, "each server allows one attempt at least")
        }
    }

    /// While the shared store fails, few attempts wait for it; when it answers again, it counts again.
    func testTheSharedStoreIsTriedAgain() async throws {
        let limit = try RateLimit(attempts: 1000, per: .seconds(600))
        let shared = try Shared(clock: clock)
        let store = try FallbackRateStore(shared, serverCount: 1, clock: clock)
        shared.fails.withLock { $0 = true }
        for _ in 0..<100 { _ = try await store.charge([RateCharge(key, limit: limit)]) }
        XCTAssertEqual(shared.calls.withLock { $0 }, 1)
        clock.advance(by: .milliseconds(500))
        for _ in 0..<100 { _ = try await store.charge([RateCharge(key, limit: limit)]) }
        XCTAssertEqual(shared.calls.withLock { $0 }, 2)
        shared.fails.withLock { $0 = false }
        clock.advance(by: .milliseconds(500))
        for _ in 0..<100 { _ = try await store.charge([RateCharge(key, limit: limit)]) }
        XCTAssertEqual(shared.calls.withLock { $0 }, 102)
        XCTAssertFalse(store.isFallenBack)
    }

    /// A login that succeeds forgets the attempts that this server has counted alone.
    func testResetsReachBothStores() async throws {
        let limit = try RateLimit(attempts: 1, per: .seconds(600))
        let shared = try Shared(clock: clock)
        let store = try FallbackRateStore(shared, serverCount: 1, clock: clock)
        shared.fails.withLock { $0 = true }
        for _ in 0..<2 {
            let count = try await attempts(store, of: limit)
            XCTAssertEqual(count, 1)
            try await store.reset(key)
        }
    }

    func testBadCountsAreRefused() throws {
        for count in [0, -1, 1 << 17] {
            XCTAssertThrowsError(try FallbackRateStore(Shared(clock: clock), serverCount: count))
        }
    }
}
