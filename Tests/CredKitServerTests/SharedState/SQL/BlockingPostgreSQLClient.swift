// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitSystem
import CredKitTestServers
import Foundation

/// A small client of PostgreSQL, as users have their own: some threads, each with one connection that blocks.
final class BlockingPostgreSQLClient: SQLStatementRunner {
    private let connections: [(connection: PostgreSQLConnection, thread: SerialThread)]
    private let next = Lock(0)

    /// Creates a client that is logged in as the superuser, and acts with the rights of a role.
    convenience init(_ server: PostgreSQLServer, role: String = "app", connectionCount: Int = 4) {
        self.init(
            path: "\(server.folder.path)/.s.PGSQL.\(server.port)",
            role: role,
            connectionCount: connectionCount
        )
    }

    init(path: String, role: String = "app", connectionCount: Int = 4) {
        connections = (0..<connectionCount).map { _ in
            (PostgreSQLConnection(path: path, role: role), SerialThread())
        }
    }

    func run(
        _ statement: SQLStatement,
        parameters: [SQLValue],
        within timeLimit: Duration
    ) async throws -> [[SQLValue]] {
        let index = next.withLock { next in
            next += 1
            return next % connections.count
        }
        let connection = connections[index].connection
        return try await connections[index].thread.run(
            deadline: timeLimit * 2,
            orThrow: { _ in SharedStateError(.timedOut) }
        ) { _ in
            Result { try connection.run(statement.text, parameters, within: timeLimit) }
                .mapError { $0 as? SharedStateError ?? SharedStateError(.malformedAnswer) }
        }
    }
}
