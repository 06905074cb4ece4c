// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A ``LoginCompletionStore`` in PostgreSQL: one statement for what ``PostgreSQLReplayStore``, ``PostgreSQLRateStore`` and
/// ``PostgreSQLSessionStore`` do at the end of a login, with one wait for the disk.
public struct PostgreSQLCompletionStore: LoginCompletionStore {
    private let engine: SQLEngine
    private let perAccountLimit: Int

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - runner: The client of the PostgreSQL server.
    ///   - configuration: What all servers agree on.
    ///   - perAccountLimit: As for ``PostgreSQLReplayStore``. Default: 64.
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

    /// Completes a login, in one atomic operation.
    ///
    /// - Parameter completion: What to do.
    /// - Returns: Whether the use was accepted, and the session created.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func complete(_ completion: LoginCompletion) async throws -> LoginCompletion.Outcome {
        if let use = completion.use, use.lifetime <= .zero { return .init(.replayed) }
        let marks = SQLMarks(engine, perAccountLimit: perAccountLimit)
        func nulls(_ function: SQLFunction) -> [SQLValue] {
            Array(repeating: .null, count: function.types.count)
        }
        let reply = try await engine.call(
            .complete,
            returning: 2,
            (completion.use.map(marks.parameters(of:)) ?? nulls(.mark))
                + [engine.name(.rate, completion.attempts)]
                + (completion.session.map { PostgreSQLSessionStore.parameters(of: $0, engine) }
                    ?? nulls(.createSession))
        )
        let decision: ReplayDecision
        if let use = completion.use {
            decision = try marks.decision(reply, on: use)
        } else {
            guard try reply.row().first == .text("accepted") else { throw SharedStateError(.malformedAnswer) }
            decision = .accepted
        }
        return .init(decision, isSessionCreated: completion.session != nil && decision == .accepted)
    }
}
