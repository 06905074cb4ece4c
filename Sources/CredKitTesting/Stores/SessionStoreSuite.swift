// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKitServer

/// What every ``CredKitServer/SessionStore`` must do.
///
/// ```swift
/// let clock = ManualClock()
/// try await SessionStoreSuite(advance: clock.advance) { try InMemorySessionStore(clock: clock) }.run()
/// ```
///
/// The suite uses keys that are different in each run, so that stores may keep those of earlier runs.
public struct SessionStoreSuite: Sendable {
    let advance: @Sendable (Duration) async throws -> Void
    private let makeStore: @Sendable () async throws -> any SessionStore

    /// Creates a suite.
    ///
    /// - Parameters:
    ///   - advance: Lets time pass on the clock of the store. Default: waits.
    ///   - makeStore: Returns a store.
    public init(
        advance: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        makeStore: @escaping @Sendable () async throws -> any SessionStore
    ) {
        self.advance = advance
        self.makeStore = makeStore
    }

    /// Runs all checks.
    ///
    /// - Throws: ``SuiteFailure``, or an error of the store.
    public func run() async throws {
        try await checkRevocation()
        try await checkPerUserLimit()
        try await checkConcurrency()
        try await checkHostileNames()
        try await checkLifetimes()
        try await checkLists()
        try await checkOthers()
        try await checkConcurrentOthers()
    }

    /// One store, and keys for it that were never used.
    struct Fixture: Sendable {
        let store: any SessionStore
        let prefix = HostileNames.uniquePrefix()

        func key(_ session: String) -> StoreKey { StoreKey("session", prefix + session) }

        func create(_ session: String, of user: String = "alice", limits: SessionLimits = .init())
            async throws
        {
            let isCreated = try await store.create(key(session), of: prefix + user, limits: limits)
            try SuiteFailure.check(isCreated, "session \(session) must be created")
        }

        func expect(_ user: String?, of session: String, _ what: String) async throws {
            let found = try await store.user(of: key(session))
            let expected = user.map { prefix + $0 }
            try SuiteFailure.check(
                HostileNames.areEqual(found, expected),
                "\(what): the user must be \(expected ?? "nil"), but is \(found ?? "nil")"
            )
        }
    }

    func fixture() async throws -> Fixture { Fixture(store: try await makeStore()) }

    private func checkRevocation() async throws {
        let fixture = try await fixture()
        try await fixture.expect(nil, of: "1", "an unknown session")
        for session in ["1", "2", "3"] { try await fixture.create(session) }
        try await fixture.create("b", of: "bob")
        try await fixture.store.revoke(fixture.key("1"))
        try await fixture.store.revoke(fixture.key("unknown"))
        try await fixture.expect(nil, of: "1", "a revoked session")
        try await fixture.expect("alice", of: "2", "a session beside a revoked one")
        try await fixture.store.revokeAll(of: fixture.prefix + "alice")
        try await fixture.store.revokeAll(of: fixture.prefix + "unknown")
        for session in ["2", "3"] {
            try await fixture.expect(nil, of: session, "a session of a user whose sessions were revoked")
        }
        try await fixture.expect("bob", of: "b", "a session of another user")
        try await fixture.create("4")
        try await fixture.expect("alice", of: "4", "a session after all were revoked")
        try await fixture.expect(nil, of: "2", "a revoked session after a new one")
        try await fixture.store.revoke(fixture.key("2"))
        try await fixture.expect("alice", of: "4", "a session after a revoked one was revoked again")
    }

    private func checkPerUserLimit() async throws {
        let fixture = try await fixture()
        var limits = SessionLimits()
        limits.perUserLimit = 3
        try await fixture.create("b", of: "bob")
        for index in 0..<10 { try await fixture.create("\(index)", limits: limits) }
        for index in 0..<10 {
            try await fixture.expect(
                index < 7 ? nil : "alice",
                of: "\(index)",
                "session \(index) of ten, with a limit of three"
            )
        }
        try await fixture.expect("bob", of: "b", "a session of another user")
        try await fixture.store.revoke(fixture.key("8"))
        try await fixture.create("10", limits: limits)
        try await fixture.expect("alice", of: "7", "the oldest session after another one was revoked")
    }

    private func checkConcurrency() async throws {
        let fixture = try await fixture()
        var limits = SessionLimits()
        limits.perUserLimit = ConcurrentCalls.count / 2
        let few = limits
        _ = try await ConcurrentCalls.run { try await fixture.create("\($0)", limits: few) }
        let users = try await ConcurrentCalls.run { try await fixture.store.user(of: fixture.key("\($0)")) }
        let count = users.count { $0 != nil }
        try SuiteFailure.check(
            count == few.perUserLimit,
            "of \(ConcurrentCalls.count) simultaneous sessions \(few.perUserLimit) must be left, but \(count) are"
        )
        // Sessions are created while others are revoked: none that was created before the last revocation is left.
        _ = try await ConcurrentCalls.run { index in
            if index.isMultiple(of: 4) {
                try await fixture.store.revokeAll(of: fixture.prefix + "alice")
            } else {
                try await fixture.create("again \(index)")
            }
        }
        try await fixture.store.revokeAll(of: fixture.prefix + "alice")
        for index in 0..<ConcurrentCalls.count {
            try await fixture.expect(nil, of: "again \(index)", "a session that was revoked")
        }
    }

    private func checkHostileNames() async throws {
        let fixture = try await fixture()
        for name in HostileNames.all { try await fixture.create(name, of: name) }
        for name in HostileNames.all { try await fixture.expect(name, of: name, "a hostile name") }
        for (index, name) in HostileNames.all.enumerated() {
            try await fixture.store.revokeAll(of: fixture.prefix + name)
            try await fixture.expect(nil, of: name, "hostile name \(index) after its revocation")
            for other in HostileNames.all[(index + 1)...] {
                try await fixture.expect(
                    other,
                    of: other,
                    "a hostile name after the revocation of name \(index)"
                )
            }
        }
    }

    private func checkLifetimes() async throws {
        let fixture = try await fixture()
        var limits = SessionLimits()
        limits.lifetime = .seconds(8)
        limits.idleLifetime = .seconds(4)
        try await fixture.create("used", limits: limits)
        try await fixture.create("idle", limits: limits)
        for _ in 0..<2 {
            try await advance(.milliseconds(2400))
            try await fixture.expect("alice", of: "used", "a session in use")
        }
        try await fixture.expect(nil, of: "idle", "a session that was not used in its idle lifetime")
        try await advance(.milliseconds(2400))
        try await fixture.expect("alice", of: "used", "a session in use")
        try await advance(.milliseconds(2400))
        try await fixture.expect(nil, of: "used", "a session after its lifetime")
        try await fixture.expect(nil, of: "used", "a session after its end was noticed")
    }
}
