// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A ``LoginCompletionStore`` in Redis: one script for what ``RedisReplayStore``, ``RedisRateStore`` and
/// ``RedisSessionStore`` do at the end of a login.
public struct RedisCompletionStore: LoginCompletionStore {
    private let engine: RedisEngine
    private let perAccountLimit: Int

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - runner: The client of the Redis server.
    ///   - configuration: What all servers agree on.
    ///   - perAccountLimit: The maximum number of remembered proofs of one user, as for ``RedisReplayStore``, at least 1. Default:
    ///     64.
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

    /// Completes a login, in one atomic operation.
    ///
    /// - Parameter completion: What to do.
    /// - Returns: Whether the use was accepted, and the session created.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func complete(_ completion: LoginCompletion) async throws -> LoginCompletion.Outcome {
        let marks = RedisMarks(engine, perAccountLimit: perAccountLimit)
        let attempts = engine.key(.rate, completion.attempts)
        let sessionKeys = completion.session.map { RedisSessionStore.keys(of: $0, engine) } ?? []
        let sessionArguments = completion.session.map { RedisSessionStore.arguments(of: $0) } ?? []
        let hasSession = completion.session != nil
        guard let use = completion.use else {
            let reply = try await engine.run(
                Self.finishing,
                keys: [attempts] + sessionKeys,
                sessionArguments
            )
            guard reply.word == "accepted" else { throw reply.isUnexpected }
            return .init(.accepted, isSessionCreated: hasSession)
        }
        guard use.lifetime > .zero else { return .init(.replayed) }
        let reply = try await engine.run(
            Self.completing,
            keys: marks.keys(of: use) + [attempts] + sessionKeys,
            marks.arguments(of: use) + sessionArguments
        )
        let decision = try marks.decision(reply, on: use)
        return .init(decision, isSessionCreated: hasSession && decision == .accepted)
    }

    static let completing = RedisScript(
        "complete",
        RedisScript.marking,
        RedisScript.creating,
        """
        local word, since = mark(KEYS, ARGV)
        if word == 'accepted' then
          redis.call('DEL', KEYS[4])
          if KEYS[5] then
            create(KEYS[5], KEYS[6], KEYS[7], ARGV[7], tonumber(ARGV[8]), tonumber(ARGV[9]), tonumber(ARGV[10]), ARGV[11])
          end
        end
        return {now, word, since}
        """
    )

    /// Completes a login that uses up nothing.
    static let finishing = RedisScript(
        "finish",
        RedisScript.creating,
        """
        redis.call('DEL', KEYS[1])
        if KEYS[2] then
          create(KEYS[2], KEYS[3], KEYS[4], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5])
        end
        return {now, 'accepted'}
        """
    )
}
