// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKitServer

/// What every ``CredKitServer/ChallengeStore`` must do.
///
/// ```swift
/// let clock = ManualClock()
/// try await ChallengeStoreSuite(advance: clock.advance) { try InMemoryChallengeStore(clock: clock) }.run()
/// ```
///
/// The suite uses keys that are different in each run, so that stores may keep those of earlier runs.
public struct ChallengeStoreSuite: Sendable {
    private let advance: @Sendable (Duration) async throws -> Void
    private let makeStore: @Sendable () async throws -> any ChallengeStore

    /// Creates a suite.
    ///
    /// - Parameters:
    ///   - advance: Lets time pass on the clock of the store. Default: waits.
    ///   - makeStore: Returns a store.
    public init(
        advance: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        makeStore: @escaping @Sendable () async throws -> any ChallengeStore
    ) {
        self.advance = advance
        self.makeStore = makeStore
    }

    /// Runs all checks.
    ///
    /// - Throws: ``SuiteFailure``, or an error of the store.
    public func run() async throws {
        try await checkOrderAndConsumption()
        try await checkPerClientLimit()
        try await checkConcurrency()
        try await checkHostileNames()
        try await checkExpiry()
    }

    /// One store, and keys for it that were never used.
    private struct Fixture: Sendable {
        let store: any ChallengeStore
        let prefix = HostileNames.uniquePrefix()

        func key(_ client: String) -> StoreKey { StoreKey("client", prefix + client) }

        func remember(
            _ challenge: String,
            of client: String = "a",
            lifetime: Duration = .seconds(60),
            limit: Int = 8
        ) async throws {
            try await store.remember(
                challenge,
                of: key(client),
                lifetime: lifetime,
                perClientLimit: limit
            )
        }

        func consume(_ challenge: String, of client: String = "a") async throws -> Bool {
            try await store.consume(challenge, of: key(client))
        }

        func expect(_ expected: [String], of client: String = "a", _ what: String) async throws {
            let challenges = try await store.challenges(of: key(client))
            try SuiteFailure.check(
                challenges.map { Array($0.utf8) } == expected.map { Array($0.utf8) },
                "\(what): the challenges must be \(expected), but are \(challenges)"
            )
        }
    }

    private func fixture() async throws -> Fixture { Fixture(store: try await makeStore()) }

    private func checkOrderAndConsumption() async throws {
        let fixture = try await fixture()
        try await fixture.expect([], "an unknown client")
        for name in ["3", "1", "2"] { try await fixture.remember(name) }
        try await fixture.remember("b", of: "b")
        try await fixture.expect(["3", "1", "2"], "the oldest first")
        let other = try await fixture.consume("b")
        try SuiteFailure.check(!other, "the challenge of another client must not be consumed")
        let (first, second) = (try await fixture.consume("1"), try await fixture.consume("1"))
        try SuiteFailure.check(first && !second, "a challenge must be consumed once")
        try await fixture.expect(["3", "2"], "after one was consumed")
        try await fixture.expect(["b"], of: "b", "another client")
    }

    private func checkPerClientLimit() async throws {
        let fixture = try await fixture()
        try await fixture.remember("victim", of: "victim")
        for index in 0..<100 { try await fixture.remember("\(index)", limit: 3) }
        try await fixture.expect(["97", "98", "99"], "a client over its limit")
        let isConsumed = try await fixture.consume("0")
        try SuiteFailure.check(!isConsumed, "a challenge that was dropped must not be consumed")
        try await fixture.expect(["victim"], of: "victim", "another client")
    }

    private func checkConcurrency() async throws {
        let fixture = try await fixture()
        _ = try await ConcurrentCalls.run { index in
            try await fixture.remember("\(index)", limit: ConcurrentCalls.count / 2)
        }
        let challenges = try await fixture.store.challenges(of: fixture.key("a"))
        try SuiteFailure.check(
            Set(challenges).count == ConcurrentCalls.count / 2 && challenges.count == Set(challenges).count,
            "of \(ConcurrentCalls.count) simultaneous challenges of a client the store must remember "
                + "\(ConcurrentCalls.count / 2), but remembers \(challenges.count)"
        )
        try await fixture.remember("once", of: "b")
        let consumed = try await ConcurrentCalls.run { _ in try await fixture.consume("once", of: "b") }
        let count = consumed.count { $0 }
        try SuiteFailure.check(
            count == 1,
            "of \(ConcurrentCalls.count) simultaneous calls exactly one must consume a challenge, but \(count) did"
        )
    }

    private func checkHostileNames() async throws {
        let fixture = try await fixture()
        for name in HostileNames.all { try await fixture.remember(name, of: name) }
        for name in HostileNames.all { try await fixture.expect([name], of: name, "a hostile name") }
        // The same names as challenges of one client.
        for name in HostileNames.all { try await fixture.remember(name, limit: HostileNames.all.count) }
        try await fixture.expect(HostileNames.all, "hostile challenges")
        for (index, name) in HostileNames.all.enumerated() {
            let isConsumed = try await fixture.consume(name)
            try SuiteFailure.check(isConsumed, "hostile challenge \(index) must be consumed")
            try await fixture.expect(
                Array(HostileNames.all[(index + 1)...]),
                "the hostile challenges that are left"
            )
        }
    }

    private func checkExpiry() async throws {
        let fixture = try await fixture()
        try await fixture.remember("long", lifetime: .seconds(60))
        try await fixture.remember("short", lifetime: .seconds(1))
        try await fixture.expect(["long", "short"], "before the expiry")
        try await advance(.seconds(2))
        try await fixture.expect(["long"], "after the expiry")
        let isConsumed = try await fixture.consume("short")
        try SuiteFailure.check(!isConsumed, "an expired challenge must not be consumed")
    }
}
