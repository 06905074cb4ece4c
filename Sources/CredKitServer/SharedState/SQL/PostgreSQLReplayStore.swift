// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A ``ReplayStore`` in PostgreSQL, for any number of servers. It accepts nothing twice, even if a failover loses what was
/// committed.
///
/// A standby that is promoted may lack the last uses. It begins a new timeline, and so does a backup that is restored to a
/// point in time. The store remembers in PostgreSQL when the present history began, and answers
/// ``ReplayDecision/unavailable(retryAfter:)`` to challenges that could have been used before. After a failover a client
/// therefore needs a new challenge, and must wait for ``SharedStateConfiguration/permittedClockDifference``. A dump that is
/// restored, a table that is truncated, and each start of the server begin a new history as well: an old primary, or a copy of its
/// files, can be started again.
///
/// Each use waits until it is on the disk. The store answers nothing while `fsync` or `synchronous_commit` is off.
///
/// > Important: Two primaries at once, after a network was split, each accept a proof once: let the failover fence the old
/// > primary before it promotes a standby. With `synchronous_standby_names`, a primary without its standby stops.
public struct PostgreSQLReplayStore: ReplayStore {
    private let engine: SQLEngine
    private let perAccountLimit: Int

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - runner: The client of the PostgreSQL server.
    ///   - configuration: What all servers agree on.
    ///   - perAccountLimit: The maximum number of remembered proofs of one user, at least 1. Calls at the same time may exceed it.
    ///     Default: 64.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(
        _ runner: some SQLStatementRunner,
        configuration: SharedStateConfiguration,
        perAccountLimit: Int = 64
    ) throws(LoginServerError) {
        try LoginServerError.check("the limit of proofs per user", perAccountLimit, in: 1...1 << 20)
        self.init(SQLEngine(runner, configuration), perAccountLimit: perAccountLimit)
    }

    init(_ engine: SQLEngine, perAccountLimit: Int = 64) {
        self.engine = engine
        self.perAccountLimit = perAccountLimit
    }

    /// Marks a key as used unless it is marked already.
    ///
    /// - Parameters:
    ///   - key: The key of the proof.
    ///   - account: The key of the user, for the limit per user.
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
        guard lifetime > .zero else { return .replayed }
        let use = LoginCompletion.Use(
            key: key,
            account: account,
            lifetime: lifetime,
            challengeAge: challengeAge
        )
        let marks = SQLMarks(engine, perAccountLimit: perAccountLimit)
        return try marks.decision(
            try await engine.call(.mark, returning: 2, marks.parameters(of: use)),
            on: use
        )
    }
}
