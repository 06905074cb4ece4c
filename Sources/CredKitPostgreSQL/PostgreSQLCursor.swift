// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import CredKitServer

/// The rows of a query, one portion after another: those that there were when it began, however long the reading takes.
///
/// It is a transaction that only reads, on a connection that nothing else uses. PostgreSQL plans the query once, right after the
/// conditions: no name in it becomes that of something else while it is read. The transaction ends with the last copy of this
/// value. One thread at a time uses it.
package struct PostgreSQLCursor: Sendable {
    private let connection: PQConnection
    private let connections: PostgreSQLConnections
    // One that a broken transaction leaves behind in a pool of connections must not be in the way.
    private let name = "credkit_\(UInt64.random(in: 0 ... .max))"

    init(_ connection: PQConnection, of connections: PostgreSQLConnections) {
        self.connection = connection
        self.connections = connections
    }

    func declare(
        _ query: String,
        _ conditions: [SQLStatement.Condition],
        deadline: ContinuousClock.Instant
    ) throws(SharedStateError) {
        _ = try result(connection.declare(name, for: query, conditions: conditions, deadline: deadline))
    }

    /// Returns the next rows, and blocks this thread until the server has answered.
    ///
    /// - Parameters:
    ///   - count: The number of rows.
    ///   - deadline: When to give up. The cursor cannot be used any more then.
    /// - Returns: The rows; fewer than `count` at the end.
    /// - Throws: `SharedStateError`.
    package func next(
        _ count: Int,
        deadline: ContinuousClock.Instant
    ) throws(SharedStateError) -> [[SQLValue]] {
        try result(
            connection.run("FETCH FORWARD \(count) FROM \(name)", [], isPinned: false, deadline: deadline)
        )
    }

    private func result(_ outcome: PQConnection.Outcome) throws(SharedStateError) -> [[SQLValue]] {
        // The server would go on with a statement that no one waits for.
        if outcome.isUnfinished { connections.cancel(connection) }
        return try outcome.result.get()
    }
}
