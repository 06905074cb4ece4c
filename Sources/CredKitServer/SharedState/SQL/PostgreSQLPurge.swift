// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Removes what has expired from a shared state in PostgreSQL.
///
/// Let each server call ``purge()`` every minute or so. The stores work without it, but their tables grow.
public struct PostgreSQLPurge: Sendable {
    private static let batch: Int64 = 500

    private let engine: SQLEngine
    private let retention: Duration

    /// Creates a purge.
    ///
    /// - Parameters:
    ///   - runner: The client of the PostgreSQL server.
    ///   - configuration: What all servers agree on.
    public init(_ runner: some SQLStatementRunner, configuration: SharedStateConfiguration) {
        self.init(SQLEngine(runner, configuration))
    }

    /// Creates a purge that remembers the accounts of a ``PostgreSQLMechanismUseStore`` for a time of your own.
    ///
    /// - Parameters:
    ///   - runner: The client of the PostgreSQL server.
    ///   - configuration: What all servers agree on.
    ///   - mechanismUseRetention: How long an account is remembered after its last login by a mechanism, from 1 to 4000 days.
    ///     Without it: 400 days.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(
        _ runner: some SQLStatementRunner,
        configuration: SharedStateConfiguration,
        mechanismUseRetention: Duration
    ) throws(LoginServerError) {
        try LoginServerError.check(
            "the retention",
            mechanismUseRetention,
            in: MechanismUseStorage.permittedRetentions
        )
        self.init(SQLEngine(runner, configuration), retention: mechanismUseRetention)
    }

    init(_ engine: SQLEngine, retention: Duration = MechanismUseStorage.retention) {
        self.engine = engine
        self.retention = retention
    }

    /// Removes what has expired, in batches, each in a transaction of its own. Servers that purge at the same time do not wait
    /// for each other.
    ///
    /// - Returns: The number of rows that were removed.
    /// - Throws: ``SharedStateError``, `CancellationError`, and what the client throws.
    @discardableResult
    public func purge() async throws -> Int {
        try await purge(.purge, []) + purge(.purgeMechanismUse, [.microseconds(retention)])
    }

    private func purge(_ function: SQLFunction, _ parameters: [SQLValue]) async throws -> Int {
        var count = 0
        while true {
            try Task.checkCancellation()
            let reply = try await engine.call(
                function,
                returning: 1,
                [.integer(Self.batch), .microseconds(engine.clock.now)] + parameters
            )
            guard case .integer(let removed) = try reply.row()[0], (0...4 * Self.batch).contains(removed)
            else {
                throw SharedStateError(.malformedAnswer)
            }
            count += Int(removed)
            // As long as a table may have had a full batch.
            if removed < Self.batch { return count }
        }
    }
}
