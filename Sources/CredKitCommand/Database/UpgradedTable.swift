// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitTerminal

/// A table of a database whose hashes are to be upgraded, as the catalog describes it.
struct UpgradedTable: Sendable {
    let name: SQLName
    /// PostgreSQL's number of the table.
    let objectID: Int64
    let idColumn: String
    /// The type of the identifiers, as a statement names it.
    let idType: String
    /// Whether the type is one of PostgreSQL's own, with operators in `pg_catalog`.
    let isIDTypeBuiltIn: Bool
    let hashColumn: String
    let saltColumn: String?
    /// About how many rows there are; `nil` if that is unknown.
    let estimatedRows: Int?

    /// The name for messages.
    var shown: String { Self.shown(name) }

    static func shown(_ name: SQLName) -> String {
        [name.schema, name.table].compactMap { $0 }.map { ShellQuoting.quote(Array($0.utf8)) }
            .joined(separator: ".")
    }

    /// Finds a table and its columns, and checks that it can be upgraded in place.
    static func find(
        _ name: SQLName,
        idColumn: String,
        hashColumn: String,
        saltColumn: String?,
        isDryRun: Bool,
        in database: UpgradeDatabase
    ) throws -> UpgradedTable {
        let found = try database.rows(
            tableStatement,
            [name.schema.map { .text($0) } ?? .null, .text(name.table)]
        )
        guard let row = found.first, let objectID = row.integer(0), let schema = row.text(1) else {
            throw CommandFailure(
                .malformed,
                "the database has no table \(shown(name)) that this role can see"
            )
        }
        let name = SQLName(schema: schema, table: name.table)
        guard row.flag(2) else {
            throw CommandFailure(.malformed, "\(shown(name)) is a view or a foreign table, and no table")
        }
        guard isDryRun || !row.flag(3) else {
            throw CommandFailure(
                .unavailable,
                "the server is a standby, which cannot be written to; connect to the primary (target_session_attrs=read-write)"
            )
        }
        guard !row.flag(4) else {
            throw CommandFailure(
                .refused,
                "\(shown(name)): row-level security hides rows from this role; use the table's owner, or a role with BYPASSRLS"
            )
        }
        let columns = ColumnFinder(database: database, objectID: objectID, table: shown(name))
        let (idType, isBuiltIn) = try columns.checkIdentifiers(idColumn, of: name)
        try columns.checkTexts(hashColumn, isWritten: !isDryRun)
        if let saltColumn { try columns.checkTexts(saltColumn, isWritten: false) }
        return UpgradedTable(
            name: name,
            objectID: objectID,
            idColumn: idColumn,
            idType: idType,
            isIDTypeBuiltIn: isBuiltIn,
            hashColumn: hashColumn,
            saltColumn: saltColumn,
            estimatedRows: row.integer(5).flatMap { $0 > 0 ? Int($0) : nil }
        )
    }

    private static let tableStatement = """
        SELECT c.oid::bigint, n.nspname::text, (c.relkind IN ('r', 'p'))::int::bigint, \
        pg_is_in_recovery()::int::bigint, row_security_active(c.oid)::int::bigint, c.reltuples::bigint \
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
        WHERE c.relname = $2::text AND c.relkind IN ('r', 'p', 'v', 'm', 'f') \
        AND CASE WHEN $1::text IS NULL THEN pg_table_is_visible(c.oid) ELSE n.nspname = $1::text END
        """
}
