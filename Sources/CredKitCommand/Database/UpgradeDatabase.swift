// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitPostgreSQL
import CredKitServer

/// Runs statements in the database of an upgrade or an audit, each in a transaction of its own.
///
/// `rows` may be called from several threads at once, and blocks its thread until the server has answered.
struct UpgradeDatabase: Sendable {
    private let connections: PostgreSQLConnections

    /// Runs a statement whose parameters and results are texts in the encoding of the database, as bytes.
    ///
    /// - Parameters:
    ///   - text: The statement.
    ///   - parameters: Its parameters, `$1` first.
    ///   - conditions: Statements before it, in the same transaction: it does not run unless each of them succeeds.
    ///   - isPinned: Whether names without a schema are found in `pg_catalog` alone. Otherwise the search path of the role
    ///     counts, in which other roles may have put anything.
    /// - Returns: The rows.
    /// - Throws: `SharedStateError`.
    @discardableResult
    func rows(
        _ text: String,
        _ parameters: [SQLValue] = [],
        conditions: [SQLStatement.Condition] = [],
        isPinned: Bool = true
    ) throws -> [UpgradeRow] {
        try connections.run(
            text,
            parameters,
            conditions: conditions,
            isPinned: isPinned,
            deadline: .now + Self.timeLimit
        )
        .map(UpgradeRow.init)
    }

    /// Begins to read the rows of a query in one transaction, which only reads.
    ///
    /// - Parameters:
    ///   - text: The query. Names without a schema are found in `pg_catalog` alone.
    ///   - conditions: Statements before it, in the same transaction: it does not run unless each of them succeeds.
    /// - Returns: The rows, for ``next(_:of:)``.
    /// - Throws: `SharedStateError`.
    func cursor(_ text: String, conditions: [SQLStatement.Condition]) throws -> PostgreSQLCursor {
        try connections.cursor(for: text, conditions: conditions, deadline: .now + Self.timeLimit)
    }

    /// Returns the next rows; fewer than `count` at the end.
    func next(_ count: Int, of cursor: PostgreSQLCursor) throws -> [UpgradeRow] {
        try cursor.next(count, deadline: .now + Self.timeLimit).map(UpgradeRow.init)
    }

    /// The schemas of the role's search path that exist, in their order.
    func searchPath() throws -> [String] {
        try rows(
            "SELECT s::pg_catalog.text FROM pg_catalog.unnest(pg_catalog.current_schemas(false)) s",
            isPinned: false
        )
        .compactMap { $0.text(0) }
    }
}

extension UpgradeDatabase {
    /// The time within which a statement must be answered.
    private static let timeLimit = Duration.seconds(60)

    /// Creates a database for a connection string. A connection is made by the first statement of each thread.
    ///
    /// - Parameters:
    ///   - connection: The connection string or URI, whose `sslmode` counts if it has one.
    ///   - isReadOnly: Whether it is audited, which a standby or a role that only reads can do.
    /// - Throws: `SharedStateError` if libpq cannot be loaded or does not understand the string.
    init(_ connection: String, isReadOnly: Bool = false) throws {
        var settings = PostgreSQLSettings(connection)
        settings.serverVerification = .byConnectionString
        settings.connectTimeLimit = .seconds(10)
        settings.applicationName = isReadOnly ? "credkit audit" : "credkit upgrade"
        settings.acceptsReadOnly = isReadOnly
        connections = try PostgreSQLConnections(settings)
    }
}

/// A row of an answer.
struct UpgradeRow: Sendable {
    private let columns: [SQLValue]

    init(_ columns: [SQLValue]) { self.columns = columns }

    /// Returns a `bytea`; `nil` for `NULL`.
    func bytes(_ index: Int) -> [UInt8]? {
        guard columns.indices.contains(index), case .bytes(let bytes) = columns[index] else { return nil }
        return bytes
    }

    /// Returns a `text`; `nil` for `NULL`.
    func text(_ index: Int) -> String? {
        guard columns.indices.contains(index), case .text(let text) = columns[index] else { return nil }
        return text
    }

    /// Returns a `bigint`; `nil` for `NULL`.
    func integer(_ index: Int) -> Int64? {
        guard columns.indices.contains(index), case .integer(let value) = columns[index] else { return nil }
        return value
    }

    /// Returns whether a `bigint` is not 0.
    func flag(_ index: Int) -> Bool { integer(index).map { $0 != 0 } ?? false }
}
