// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The stores of a ``LoginService``, which all of its mechanisms share.
public struct LoginStorage: Sendable {
    /// Remembers the challenges that were issued.
    public var challenges: any ChallengeStore

    /// Remembers what was used and is valid once.
    public var replays: any ReplayStore { didSet { completions = nil } }

    /// Counts the attempts.
    public var rates: any RateStore { didSet { completions = nil } }

    /// Keeps the sessions.
    public var sessions: any SessionStore { didSet { completions = nil } }

    /// Completes a login in one step; `nil` to use the other stores one after the other. It must work on their content, and becomes
    /// `nil` when one of them is replaced.
    public var completions: (any LoginCompletionStore)?

    /// Creates a storage.
    ///
    /// - Parameters:
    ///   - challenges: Remembers the challenges that were issued.
    ///   - replays: Remembers what was used and is valid once.
    ///   - rates: Counts the attempts.
    ///   - sessions: Keeps the sessions.
    ///   - completions: Completes a login in one step; `nil` to use the other stores one after the other.
    public init(
        challenges: any ChallengeStore,
        replays: any ReplayStore,
        rates: any RateStore,
        sessions: any SessionStore,
        completions: (any LoginCompletionStore)? = nil
    ) {
        self.challenges = challenges
        self.replays = replays
        self.rates = rates
        self.sessions = sessions
        self.completions = completions
    }

    /// The step that completes a login.
    var completion: any LoginCompletionStore {
        completions ?? SequentialCompletion(replays: replays, rates: rates, sessions: sessions)
    }

    /// Returns stores for one process, with their default limits. They are empty after a restart.
    ///
    /// - Parameters:
    ///   - isFirstStart: Whether nothing can have been used before that the mechanisms accept once: see
    ///     ``InMemoryReplayStore``. It is `true` with passwords and one-time challenges with a new random key. With bare
    ///     minutes it is `true` only when the users are new.
    ///   - clock: The clock of the stores. Tests can pass a clock of their own.
    /// - Returns: The stores.
    public static func memory(
        isFirstStart: Bool = false,
        clock: some Clock<Duration> = ContinuousClock()
    ) -> Self {
        Self(
            challenges: InMemoryChallengeStore(standardOn: clock),
            replays: InMemoryReplayStore(standardOn: clock, isFirstStart: isFirstStart),
            rates: InMemoryRateStore(standardOn: clock),
            sessions: InMemorySessionStore(standardOn: clock)
        )
    }
}

extension LoginStorage {
    /// Returns stores in Redis, which any number of servers share.
    ///
    /// ```swift
    /// let configuration = try SharedStateConfiguration(key: secretOfAllServers)
    /// let service = try LoginService(accounts: users, mechanisms: […], storage: .redis(client, configuration: configuration, serverCount: 2))
    /// ```
    ///
    /// Attempts are counted by the server itself while Redis does not answer: see ``FallbackRateStore``. Everything that uses up
    /// something or creates a session fails then, so that nothing is accepted twice. A login by a password without a second
    /// step does neither if no session is asked for, and is accepted.
    ///
    /// - Parameters:
    ///   - runner: The client of the Redis server.
    ///   - configuration: What all servers agree on.
    ///   - serverCount: The number of servers that share the state, at least 1.
    /// - Returns: The stores.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public static func redis(
        _ runner: some RedisScriptRunner,
        configuration: SharedStateConfiguration,
        serverCount: Int
    ) throws(LoginServerError) -> Self {
        let engine = RedisEngine(runner, configuration)
        return try shared(
            challenges: RedisChallengeStore(engine),
            replays: RedisReplayStore(engine),
            rates: RedisRateStore(engine),
            sessions: RedisSessionStore(engine),
            completions: RedisCompletionStore(engine),
            serverCount: serverCount
        )
    }

    /// Returns stores in PostgreSQL, which any number of servers share. ``SQLSchema`` creates their tables.
    ///
    /// ```swift
    /// let configuration = try SharedStateConfiguration(key: secretOfAllServers)
    /// let storage = try LoginStorage.postgreSQL(client, configuration: configuration, serverCount: 4)
    /// ```
    ///
    /// What works while PostgreSQL does not answer is the same as for ``redis(_:configuration:serverCount:)``.
    ///
    /// - Parameters:
    ///   - runner: The client of the PostgreSQL server.
    ///   - configuration: What all servers agree on.
    ///   - serverCount: The number of servers that share the state, at least 1.
    /// - Returns: The stores.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public static func postgreSQL(
        _ runner: some SQLStatementRunner,
        configuration: SharedStateConfiguration,
        serverCount: Int
    ) throws(LoginServerError) -> Self {
        let engine = SQLEngine(runner, configuration)
        return try shared(
            challenges: PostgreSQLChallengeStore(engine),
            replays: PostgreSQLReplayStore(engine),
            rates: PostgreSQLRateStore(engine),
            sessions: PostgreSQLSessionStore(engine),
            completions: PostgreSQLCompletionStore(engine),
            serverCount: serverCount
        )
    }

    /// Returns stores in one engine. Attempts alone are counted without it while it does not answer.
    private static func shared(
        challenges: any ChallengeStore,
        replays: any ReplayStore,
        rates: any RateStore,
        sessions: any SessionStore,
        completions: any LoginCompletionStore,
        serverCount: Int
    ) throws(LoginServerError) -> Self {
        Self(
            challenges: challenges,
            replays: replays,
            rates: try FallbackRateStore(rates, serverCount: serverCount),
            sessions: sessions,
            completions: completions
        )
    }
}
