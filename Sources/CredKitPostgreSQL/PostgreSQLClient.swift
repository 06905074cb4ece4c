// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKitServer
internal import CredKitSystem

/// A client of a PostgreSQL server over libpq, for the stores of `CredKitServer` and for ``CredKitServer/PostgreSQLAccounts``.
///
/// ```swift
/// let client = try PostgreSQLClient(PostgreSQLSettings("host=db.example dbname=logins user=login_server"))
/// let storage = try LoginStorage.postgreSQL(client, configuration: configuration, serverCount: 2)
/// ```
///
/// libpq is loaded when the first client is created. Statements run on threads of the client's own, each over one connection. The
/// server keeps them parsed, unless a pool of connections is in between; pgbouncer can be, in the modes `transaction` and
/// `session`. A statement that is not answered within its time limit is cancelled, and its connection is given up; the caller does
/// not wait for that. libpq 15 sends the request to cancel unencrypted: someone who reads the network can then cancel statements
/// of that connection, which no longer exists.
///
/// Names in statements are found in `pg_catalog` alone, and not in the search path of the role: other roles may have created
/// functions and operators in its schemas. Triggers of a table run with the path of the role.
///
/// It connects again by itself, but never repeats a statement that may have had an effect: a lost connection, a deadlock or a
/// serialization failure is thrown. Set the time limits of the server, too, as ``CredKitServer/SQLSchema`` does: a request to
/// cancel can be lost.
public final class PostgreSQLClient: SQLStatementRunner {
    private let connections: PostgreSQLConnections
    private let threads: WorkerThreads

    /// Loads libpq and reads the settings. A connection is made by the first statement.
    ///
    /// - Parameter settings: How to reach the server.
    /// - Throws: ``CredKitServer/SharedStateError`` with the code `missingLibrary`, `invalidSettings` or `unsafeSettings`.
    public init(_ settings: PostgreSQLSettings) throws(SharedStateError) {
        connections = try PostgreSQLConnections(settings)
        threads = WorkerThreads(
            count: settings.threadCount,
            maximumWaitingCount: settings.maximumWaitingCount
        )
    }

    deinit { connections.close() }

    /// Runs a statement once.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - parameters: The parameters, `$1` first.
    ///   - timeLimit: The time within which to return or to throw.
    /// - Returns: The rows, once the server has committed the statement.
    /// - Throws: ``CredKitServer/SharedStateError``.
    public func run(
        _ statement: SQLStatement,
        parameters: [SQLValue],
        within timeLimit: Duration
    ) async throws -> [[SQLValue]] {
        let deadline = ContinuousClock.now + timeLimit
        return try await threads.run(deadline: deadline, orThrow: Self.failure) { [connections] in
            Result { () throws(SharedStateError) in
                try connections.run(
                    statement.text,
                    parameters,
                    conditions: statement.conditions,
                    isPinned: !statement.runsTriggers,
                    deadline: deadline
                )
            }
        }
    }

    private static func failure(_ failure: WorkerThreads.Failure) -> SharedStateError {
        switch failure {
        case .overloaded: SharedStateError(.overloaded)
        case .noThread: SharedStateError(.overloaded, message: "there are no threads for statements")
        case .timedOut: SharedStateError(.timedOut)
        }
    }
}
