// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitPostgreSQL
import CredKitServer

/// Runs statements in the database of an upgrade, each in a transaction of its own.
///
/// `run` may be called from several threads at once, and blocks its thread until the server has answered.
struct UpgradeDatabase: Sendable {
    let run: @Sendable (_ text: String, _ parameters: [SQLValue]) throws -> [[SQLValue]]

    /// Runs a statement whose parameters and results are texts in the encoding of the database, as bytes.
    func rows(_ text: String, _ parameters: [SQLValue] = []) throws -> [UpgradeRow] {
        try run(text, parameters).map(UpgradeRow.init)
    }
}

extension UpgradeDatabase {
    /// The time within which a statement must be answered.
    private static let timeLimit = Duration.seconds(60)

    /// Creates a database for a connection string. A connection is made by the first statement of each thread.
    ///
    /// - Parameter connection: The connection string or URI, whose `sslmode` counts if it has one.
    /// - Throws: `SharedStateError` if libpq cannot be loaded or does not understand the string.
    init(_ connection: String) throws {
        var settings = PostgreSQLSettings(connection)
        settings.serverVerification = .byConnectionString
        settings.connectTimeLimit = .seconds(10)
        settings.applicationName = "credkit upgrade"
        let connections = try PostgreSQLConnections(settings)
        self.init { try connections.run($0, $1, deadline: .now + Self.timeLimit) }
    }
}
