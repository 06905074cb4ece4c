// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKitServer

/// What every ``CredKitServer/LoginCompletionStore`` must do: the same as the separate stores of its storage.
///
/// ```swift
/// try await LoginCompletionStoreSuite { LoginStorage.myStores(connection) }.run()
/// ```
///
/// It also runs ``ReplayStoreSuite`` and ``SessionStoreSuite`` with uses and sessions that completions create. The suite uses
/// keys that are different in each run, so that stores may keep those of earlier runs.
public struct LoginCompletionStoreSuite: Sendable {
    private let advance: @Sendable (Duration) async throws -> Void
    private let makeStorage: @Sendable () async throws -> LoginStorage

    /// Creates a suite.
    ///
    /// - Parameters:
    ///   - advance: Lets time pass on the clock of the stores. Default: waits.
    ///   - makeStorage: Returns a storage whose ``CredKitServer/LoginStorage/completions`` are not `nil`.
    public init(
        advance: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        makeStorage: @escaping @Sendable () async throws -> LoginStorage
    ) {
        self.advance = advance
        self.makeStorage = makeStorage
    }

    /// Runs all checks.
    ///
    /// - Throws: ``SuiteFailure``, or an error of the store.
    public func run() async throws {
        try await checkAllOrNothing()
        try await checkSharedContent()
        try await ReplayStoreSuite(advance: advance) { try await CompletedUses(completions: store()) }.run()
        try await SessionStoreSuite(advance: advance) {
            let storage = try await makeStorage()
            return CompletedSessions(
                completions: try Self.completions(of: storage),
                sessions: storage.sessions
            )
        }
        .run()
    }

    private func store() async throws -> any LoginCompletionStore {
        try Self.completions(of: try await makeStorage())
    }

    private static func completions(of storage: LoginStorage) throws -> any LoginCompletionStore {
        guard let completions = storage.completions else {
            throw SuiteFailure("the storage has no completions")
        }
        return completions
    }

    /// One storage, and keys for it that were never used.
    private struct Fixture: Sendable {
        let storage: LoginStorage
        let completions: any LoginCompletionStore
        let prefix = HostileNames.uniquePrefix()

        init(_ storage: LoginStorage) throws {
            self.storage = storage
            completions = try LoginCompletionStoreSuite.completions(of: storage)
        }

        func key(_ name: String) -> StoreKey { StoreKey("login", prefix + name) }

        func completion(of proof: String?, session: String?) -> LoginCompletion {
            LoginCompletion(
                use: proof.map {
                    .init(
                        key: key($0),
                        account: key("account"),
                        lifetime: .seconds(60),
                        challengeAge: .zero
                    )
                },
                attempts: key("attempts"),
                session: session.map {
                    .init(key: key($0), user: prefix + "alice", limits: SessionLimits())
                }
            )
        }

        /// Uses up the one attempt that the account has. Returns whether it had one.
        func attempt() async throws -> Bool {
            let limit = try RateLimit(attempts: 1, per: .seconds(3600))
            return try await storage.rates.charge([RateCharge(key("attempts"), limit: limit)]) == .allowed
        }

        func hasSession(_ session: String) async throws -> Bool {
            try await HostileNames.areEqual(storage.sessions.user(of: key(session)), prefix + "alice")
        }
    }

    private func checkAllOrNothing() async throws {
        let fixture = try Fixture(try await makeStorage())
        _ = try await fixture.attempt()
        let first = try await fixture.completions.complete(fixture.completion(of: "proof", session: "1"))
        try SuiteFailure.check(
            first == .init(.accepted, isSessionCreated: true),
            "a completion must be accepted and create a session, but is \(first)"
        )
        let (hasSession, mayTry) = (try await fixture.hasSession("1"), try await fixture.attempt())
        try SuiteFailure.check(hasSession, "the session must exist after a completion")
        try SuiteFailure.check(mayTry, "the attempts must be forgotten after a completion")
        let second = try await fixture.completions.complete(fixture.completion(of: "proof", session: "2"))
        try SuiteFailure.check(
            second == .init(.replayed),
            "a used proof must be replayed and create no session, but is \(second)"
        )
        let (hasSecond, mayTryAgain) = (try await fixture.hasSession("2"), try await fixture.attempt())
        try SuiteFailure.check(!hasSecond, "a replayed proof must not create a session")
        try SuiteFailure.check(!mayTryAgain, "a replayed proof must not make attempts forgotten")
        let bare = try await fixture.completions.complete(fixture.completion(of: nil, session: nil))
        try SuiteFailure.check(
            bare == .init(.accepted),
            "a completion without a use must be accepted, but is \(bare)"
        )
        let mayTryAfterwards = try await fixture.attempt()
        try SuiteFailure.check(
            mayTryAfterwards,
            "the attempts must be forgotten after a completion without a use"
        )
        let sessionAlone = try await fixture.completions.complete(
            fixture.completion(of: nil, session: "3")
        )
        let hasThird = try await fixture.hasSession("3")
        try SuiteFailure.check(
            sessionAlone == .init(.accepted, isSessionCreated: true) && hasThird,
            "a completion without a use must create a session, but is \(sessionAlone)"
        )
    }

    /// Uses and sessions of completions are those of the separate stores.
    private func checkSharedContent() async throws {
        let fixture = try Fixture(try await makeStorage())
        let completed = try await ConcurrentCalls.run { index in
            try await fixture.completions.complete(fixture.completion(of: "proof", session: "\(index)"))
        }
        let accepted = completed.count { $0.decision == .accepted }
        try SuiteFailure.check(accepted == 1, "one of many completions must be accepted, but \(accepted) are")
        let separate = try await fixture.storage.replays.markUsed(
            fixture.key("proof"),
            account: fixture.key("account"),
            lifetime: .seconds(60),
            challengeAge: .zero
        )
        try SuiteFailure.check(
            separate == .replayed,
            "the replay store must know what a completion has used, but says \(separate)"
        )
        _ = try await fixture.storage.replays.markUsed(
            fixture.key("other"),
            account: fixture.key("account"),
            lifetime: .seconds(60),
            challengeAge: .zero
        )
        let other = try await fixture.completions.complete(fixture.completion(of: "other", session: nil))
        try SuiteFailure.check(
            other == .init(.replayed),
            "a completion must know what the replay store has marked, but is \(other)"
        )
    }
}

/// Marks uses by completions.
private struct CompletedUses: ReplayStore {
    let completions: any LoginCompletionStore

    func markUsed(
        _ key: StoreKey,
        account: StoreKey,
        lifetime: Duration,
        challengeAge: Duration
    ) async throws -> ReplayDecision {
        try await completions.complete(
            LoginCompletion(
                use: .init(key: key, account: account, lifetime: lifetime, challengeAge: challengeAge),
                attempts: account,
                session: nil
            )
        )
        .decision
    }
}

/// Creates sessions by completions.
private struct CompletedSessions: SessionStore {
    let completions: any LoginCompletionStore
    let sessions: any SessionStore

    func create(_ session: StoreKey, of user: String, limits: SessionLimits) async throws -> Bool {
        try await completions.complete(
            LoginCompletion(
                use: nil,
                attempts: session,
                session: .init(key: session, user: user, limits: limits)
            )
        )
        .isSessionCreated
    }

    func user(of session: StoreKey) async throws -> String? { try await sessions.user(of: session) }

    func revoke(_ session: StoreKey) async throws { try await sessions.revoke(session) }

    func revokeAll(of user: String) async throws { try await sessions.revokeAll(of: user) }

    func revokeOthers(of user: String, retaining session: StoreKey) async throws {
        try await sessions.revokeOthers(of: user, retaining: session)
    }

    func sessions(of user: String) async throws -> [StoredSession] { try await sessions.sessions(of: user) }
}
