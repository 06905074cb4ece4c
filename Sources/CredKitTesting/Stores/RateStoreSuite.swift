// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKitServer

/// What every ``CredKitServer/RateStore`` must do.
///
/// ```swift
/// let clock = ManualClock()
/// try await RateStoreSuite(advance: clock.advance) { try InMemoryRateStore(clock: clock) }.run()
/// ```
///
/// The suite uses keys that are different in each run, so that stores may keep those of earlier runs.
public struct RateStoreSuite: Sendable {
    private let advance: @Sendable (Duration) async throws -> Void
    private let makeStore: @Sendable () async throws -> any RateStore

    /// Creates a suite.
    ///
    /// - Parameters:
    ///   - advance: Lets time pass on the clock of the store. Default: waits.
    ///   - makeStore: Returns a store.
    public init(
        advance: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        makeStore: @escaping @Sendable () async throws -> any RateStore
    ) {
        self.advance = advance
        self.makeStore = makeStore
    }

    /// Runs all checks.
    ///
    /// - Throws: ``SuiteFailure``, or an error of the store.
    public func run() async throws {
        try await checkBurstAndSpacing()
        try await checkAllOrNone()
        try await checkConcurrency()
        try await checkHostileNames()
        try await checkReset()
    }

    /// One store, and keys for it that were never used.
    private struct Fixture: Sendable {
        let store: any RateStore
        let prefix = HostileNames.uniquePrefix()

        func key(_ name: String) -> StoreKey { StoreKey("account", prefix + name) }

        func charge(_ names: [(String, RateLimit)]) async throws -> RateLimitResult {
            try await store.charge(names.map { RateCharge(key($0.0), limit: $0.1) })
        }

        // Swift 6.3 crashes in optimized builds when it inlines this function or the next one into loops.
        @inline(never)
        func allow(_ names: [(String, RateLimit)], _ what: String) async throws {
            let result = try await charge(names)
            try SuiteFailure.check(result == .allowed, "\(what) must be allowed, but is \(result)")
        }

        @inline(never)
        @discardableResult
        func limit(_ names: [(String, RateLimit)], _ what: String) async throws -> Duration {
            let result = try await charge(names)
            guard case .limited(let wait) = result, wait > .zero else {
                throw SuiteFailure("\(what) must be limited for a while, but is \(result)")
            }
            return wait
        }
    }

    private func fixture() async throws -> Fixture { Fixture(store: try await makeStore()) }

    private func checkBurstAndSpacing() async throws {
        let fixture = try await fixture()
        // One attempt every two seconds, after a burst of three.
        let key = [("a", try RateLimit(attempts: 3, per: .seconds(6)))]
        for _ in 0..<3 { try await fixture.allow(key, "an attempt of the burst") }
        let wait = try await fixture.limit(key, "an attempt after the burst")
        try SuiteFailure.check(wait <= .seconds(2), "the wait must be at most 2 s, but is \(wait)")
        try await advance(wait)
        try await fixture.allow(key, "an attempt after the wait")
        try await fixture.limit(key, "a second attempt after the wait")
        try await fixture.allow([("b", key[0].1)], "an attempt of another key")
    }

    private func checkAllOrNone() async throws {
        let fixture = try await fixture()
        let account = ("account", try RateLimit(attempts: 2, per: .seconds(3600)))
        let client = ("client", try RateLimit(attempts: 3, per: .seconds(3600)))
        for _ in 0..<2 { try await fixture.allow([client, account], "an attempt below both limits") }
        for _ in 0..<8 {
            try await fixture.limit([client, account], "an attempt over the limit of the account")
        }
        let other = ("other", account.1)
        try await fixture.allow(
            [client, other],
            "an address after attempts that were limited by the account"
        )
        for _ in 0..<8 {
            try await fixture.limit([client, other], "an attempt over the limit of the address")
        }
        try await fixture.allow([other], "an account after attempts that were limited by the address")
        try await fixture.limit([other], "an account at its limit")
        let none = try await fixture.charge([])
        try SuiteFailure.check(none == .allowed, "an attempt without keys must be allowed, but is \(none)")
        // The longest wait is the answer, in either order.
        let slow = ("slow", try RateLimit(attempts: 1, per: .seconds(7200)))
        try await fixture.allow([slow], "a first attempt")
        for charges in [[client, slow], [slow, client]] {
            let wait = try await fixture.limit(charges, "an attempt over two limits")
            try SuiteFailure.check(
                wait > .seconds(7000),
                "the longer wait must be answered, but it is \(wait)"
            )
        }
    }

    private func checkConcurrency() async throws {
        let fixture = try await fixture()
        let limit = try RateLimit(attempts: 10, per: .seconds(3600))
        let client = try RateLimit(attempts: 1000, per: .seconds(3600))
        let results = try await ConcurrentCalls.run { index in
            try await fixture.charge([("client", client), ("account", limit)])
        }
        let allowed = results.count { $0 == .allowed }
        try SuiteFailure.check(
            allowed == 10,
            "of \(ConcurrentCalls.count) simultaneous attempts exactly 10 must be allowed, but \(allowed) were"
        )
    }

    private func checkHostileNames() async throws {
        let fixture = try await fixture()
        let limit = try RateLimit(attempts: 1, per: .seconds(3600))
        for (index, name) in HostileNames.all.enumerated() {
            try await fixture.allow([(name, limit)], "name \(index)")
        }
        for (index, name) in HostileNames.all.enumerated() {
            try await fixture.limit([(name, limit)], "name \(index), used again,")
        }
    }

    private func checkReset() async throws {
        let fixture = try await fixture()
        let limit = try RateLimit(attempts: 1, per: .seconds(3600))
        try await fixture.allow([("a", limit), ("b", limit)], "a first attempt")
        try await fixture.store.reset(fixture.key("a"))
        try await fixture.store.reset(fixture.key("unknown"))
        try await fixture.limit([("b", limit)], "a key beside one that was reset")
        try await fixture.allow([("a", limit)], "a key that was reset")
        try await fixture.limit([("a", limit)], "a key after a reset and an attempt")
    }
}
