// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Removes what has expired from a shared state in PostgreSQL.
///
/// Let each server call ``purge()`` every minute or so, as `credkit-server` does in `SharedServerState.purge`. The
/// stores work without it, but their tables grow. `SQLSchema.purging` chooses the rows.
public struct PostgreSQLPurge: Sendable {
    private static let batch: Int64 = 500

    private let engine: SQLEngine

    /// Creates a purge.
    ///
    /// - Parameters:
    ///   - runner: The client of the PostgreSQL server.
    ///   - configuration: What all servers agree on.
    public init(_ runner: some SQLStatementRunner, configuration: SharedStateConfiguration) {
        self.init(SQLEngine(runner, configuration))
    }

    init(_ engine: SQLEngine) {
        self.engine = engine
    }

    /// Removes what has expired, in batches, each in a transaction of its own. Servers that purge at the same time do not wait
    /// for each other.
    ///
    /// - Returns: The number of rows that were removed.
    /// - Throws: ``SharedStateError``, `CancellationError`, and what the client throws.
    @discardableResult
    public func purge() async throws -> Int {
        var count = 0
        while true {
            try Task.checkCancellation()
            let reply = try await engine.call(
                .purge,
                returning: 1,
                [.integer(Self.batch), .microseconds(engine.clock.now)]
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
