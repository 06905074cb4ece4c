// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitSystem
import Glibc

/// A client of a PostgreSQL server, over libpq. Each thread that runs a statement has a connection of its own.
final class PostgreSQLClient: Sendable {
    /// The time within which a statement must be answered.
    private static let timeLimit = Duration.seconds(60)

    private let library: LibPQ
    private let connection: String
    private let idle = Lock<[PostgreSQLConnection]>([])

    /// Loads libpq. A connection is made by the first statement.
    ///
    /// - Parameter connection: The connection string or URI.
    /// - Throws: A `CommandFailure` if libpq cannot be loaded.
    init(_ connection: String) throws {
        library = try LibPQ.load()
        self.connection = connection
    }

    /// Runs a statement, and blocks this thread until the server has answered.
    func run(_ text: String, _ parameters: [SQLValue]) throws -> [[SQLValue]] {
        let used = try idle.withLock { $0.popLast() } ?? PostgreSQLConnection(to: connection, library)
        let rows: [[SQLValue]]
        do {
            rows = try used.run(text, parameters, deadline: .now + Self.timeLimit)
        } catch {
            // A connection with an unfinished statement must not be used again.
            if used.isReusable { idle.withLock { $0.append(used) } }
            throw error
        }
        idle.withLock { $0.append(used) }
        return rows
    }
}

extension UpgradeDatabase {
    /// Creates a database for a connection string.
    init(_ connection: String) throws {
        let client = try PostgreSQLClient(connection)
        self.init { try client.run($0, $1) }
    }
}
