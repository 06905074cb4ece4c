// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import CredKitServer
internal import CredKitSystem

/// Connections to a PostgreSQL server for threads that may block, at most one for each thread that uses them at once.
package final class PostgreSQLConnections: Sendable {
    private struct State: Sendable {
        var idle: [PQConnection] = []
        /// Why the last attempt to connect failed, and until when there is no other one.
        var failure: SharedStateError?
        var pausesUntil = ContinuousClock.now
        var pause = PostgreSQLConnections.shortestPause
        var isClosed = false
        /// Whether sessions of the server may change.
        var isPooled = false
    }

    /// While a server is down, it is not asked more often than this by all threads together.
    private static let shortestPause = Duration.milliseconds(20)
    private static let longestPause = Duration.milliseconds(320)

    private let parameters: ConnectionParameters
    private let connectTimeLimit: Duration
    private let state = Lock(State())
    /// How many requests to cancel are under way.
    private let cancellations = Lock(0)
    private static let maximumCancellations = 2

    /// Loads libpq and reads the settings. A connection is made by the first statement.
    ///
    /// - Parameter settings: How to reach the server.
    /// - Throws: `SharedStateError`.
    package init(_ settings: PostgreSQLSettings) throws(SharedStateError) {
        try PQLibrary.load()
        try settings.check()
        parameters = try ConnectionParameters(settings)
        connectTimeLimit = settings.connectTimeLimit
    }

    /// Runs a statement once, and blocks this thread until the server has committed it. One that may have had an effect is never
    /// repeated: a deadlock or a serialization failure is thrown as `busy`.
    ///
    /// - Parameters:
    ///   - text: The statement.
    ///   - parameters: Its parameters, `$1` first.
    ///   - conditions: Statements before it, in the same transaction: it does not run unless each of them succeeds.
    ///   - isPinned: Whether names without a schema are found in `pg_catalog` alone. Otherwise the search path of the role
    ///     counts, in which other roles may have put anything.
    ///   - deadline: When to give up. The statement is cancelled then.
    /// - Returns: The rows.
    /// - Throws: `SharedStateError`.
    package func run(
        _ text: String,
        _ parameters: [SQLValue],
        conditions: [SQLStatement.Condition] = [],
        isPinned: Bool = true,
        deadline: ContinuousClock.Instant
    ) throws(SharedStateError) -> [[SQLValue]] {
        let connection = try connection()
        guard deadline > .now else {
            put(connection)
            throw SharedStateError(.timedOut, message: "connecting to the PostgreSQL server took too long")
        }
        let outcome = connection.run(
            text,
            parameters,
            conditions: conditions,
            isPinned: isPinned,
            deadline: deadline
        )
        if connection.prepared == nil { state.withLock { $0.isPooled = true } }
        if outcome.isReusable { put(connection) }
        // The server must not commit later what the caller takes for failed. It may already have done so.
        if outcome.isUnfinished { cancel(connection) }
        return try outcome.result.get()
    }

    /// Begins to read the rows of a query, on a connection that nothing else uses meanwhile.
    ///
    /// - Parameters:
    ///   - query: The query, without parameters. Names without a schema are found in `pg_catalog` alone.
    ///   - conditions: Statements before it, in the same transaction: it is not planned unless each of them succeeds.
    ///   - deadline: When to give up.
    /// - Returns: The rows.
    /// - Throws: `SharedStateError`.
    package func cursor(
        for query: String,
        conditions: [SQLStatement.Condition],
        deadline: ContinuousClock.Instant
    ) throws(SharedStateError) -> PostgreSQLCursor {
        let cursor = PostgreSQLCursor(try connection(), of: self)
        try cursor.declare(query, conditions, deadline: deadline)
        return cursor
    }

    /// Asks the server to cancel, on a thread of its own: a server that has stopped would keep this one. The time limits of the
    /// server's role do the same where there are too many requests.
    func cancel(_ connection: PQConnection) {
        let isPermitted = cancellations.withLock { count in
            guard count < Self.maximumCancellations else { return false }
            count += 1
            return true
        }
        guard isPermitted else { return }
        let isStarted = DetachedThread.start { [cancellations] in
            connection.cancel()
            cancellations.withLock { $0 -= 1 }
        }
        if !isStarted { cancellations.withLock { $0 -= 1 } }
    }

    /// Closes the connections, each as soon as it is idle.
    package func close() {
        state.withLock { state in
            state.isClosed = true
            state.idle = []
        }
    }

    private func put(_ connection: PQConnection) {
        state.withLock { state in
            if !state.isClosed { state.idle.append(connection) }
        }
    }

    /// Returns an idle connection that the server has not closed, or a new one.
    private func connection() throws(SharedStateError) -> PQConnection {
        while let connection = state.withLock({ $0.idle.popLast() }) {
            if connection.isAlive { return connection }
        }
        let recent = state.withLock { (state) -> SharedStateError? in
            guard !state.isClosed else { return SharedStateError(.disconnected) }
            guard let failure = state.failure else { return nil }
            guard state.pausesUntil <= .now else { return failure }
            // This thread alone asks a server that has failed.
            state.pausesUntil = .now + connectTimeLimit
            return nil
        }
        if let recent { throw recent }
        do throws(SharedStateError) {
            // Longer than a statement may take, if need be: otherwise a server far away could never be reached.
            let connection = try PQConnection(parameters, deadline: .now + connectTimeLimit)
            state.withLock { state in
                if state.isPooled { connection.prepared = nil }
                state.failure = nil
                state.pause = Self.shortestPause
            }
            return connection
        } catch {
            state.withLock { state in
                state.failure = error
                // Servers that lost the same database must not ask it all at once.
                state.pausesUntil = .now + state.pause * Double.random(in: 0.5...1)
                state.pause = min(state.pause * 2, Self.longestPause)
            }
            throw error
        }
    }
}
