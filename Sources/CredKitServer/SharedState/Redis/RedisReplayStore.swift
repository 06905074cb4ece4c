// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A ``ReplayStore`` in Redis, for any number of servers. It accepts nothing twice, even if Redis loses what it has
/// acknowledged. `RedisScript.marking` decides.
///
/// A replica that becomes the primary may lack the last uses, and so does a server that was restarted with an older file or
/// an empty one. Redis gives each of them a new replication history (`master_replid`), and also a server that gets its first
/// replica. The store remembers in Redis when the present history began, and answers
/// ``ReplayDecision/unavailable(retryAfter:)`` to challenges that could have been used before. After a failover a client
/// therefore needs a new challenge, and must wait for ``SharedStateConfiguration/permittedClockDifference``. A key that is
/// stored is always ``ReplayDecision/replayed``, even if its challenge is that old.
///
/// Two exceptions remain. If the clock of Redis jumps ahead for a moment, it removes what it believes to be expired. And two
/// primaries at once, after a network was split, are independent: each accepts a proof once. Set `min-replicas-to-write`
/// to 1 and `min-replicas-max-lag` to 10 or less, so that a primary without replicas stops within this time.
public struct RedisReplayStore: ReplayStore {
    private let engine: RedisEngine
    private let perAccountLimit: Int

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - runner: The client of the Redis server.
    ///   - configuration: What all servers agree on.
    ///   - perAccountLimit: The maximum number of remembered proofs of one user, at least 1. Default: 64.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(
        _ runner: some RedisScriptRunner,
        configuration: SharedStateConfiguration,
        perAccountLimit: Int = 64
    ) throws(LoginServerError) {
        try LoginServerError.check("the limit of proofs per user", perAccountLimit, in: 1...1 << 20)
        self.init(RedisEngine(runner, configuration), perAccountLimit: perAccountLimit)
    }

    init(_ engine: RedisEngine, perAccountLimit: Int = 64) {
        self.engine = engine
        self.perAccountLimit = perAccountLimit
    }

    /// Marks a key as used unless it is marked already.
    ///
    /// - Parameters:
    ///   - key: The key of the proof.
    ///   - account: The key of the user.
    ///   - lifetime: The time for which the key must be stored.
    ///   - challengeAge: The time since a proof for the same challenge could first be used, rounded up.
    /// - Returns: Whether the key was marked.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func markUsed(
        _ key: StoreKey,
        account: StoreKey,
        lifetime: Duration,
        challengeAge: Duration
    ) async throws -> ReplayDecision {
        let use = LoginCompletion.Use(
            key: key,
            account: account,
            lifetime: lifetime,
            challengeAge: challengeAge
        )
        guard lifetime > .zero else { return .replayed }
        let marks = RedisMarks(engine, perAccountLimit: perAccountLimit)
        let reply = try await engine.run(Self.script, keys: marks.keys(of: use), marks.arguments(of: use))
        return try marks.decision(reply, on: use)
    }

    static let script = RedisScript(
        "mark",
        RedisScript.marking,
        """
        local word, since = mark(KEYS, ARGV)
        return {now, word, since}
        """
    )
}
