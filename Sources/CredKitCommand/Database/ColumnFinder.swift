// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitTerminal

/// Finds the columns of a table, and checks that an upgrade can use them.
struct ColumnFinder {
    let database: UpgradeDatabase
    let objectID: Int64
    /// The name of the table for messages.
    let table: String

    /// Checks the column of the identifiers, and returns its type for a statement, and whether that is one of
    /// PostgreSQL's own.
    func checkIdentifiers(_ column: String, of name: SQLName) throws -> (type: String, isBuiltIn: Bool) {
        let row = try find(column)
        guard row.flag(4) else {
            throw CommandFailure(
                .malformed,
                "\(described(column)) has no unique index of its own, so an identifier may have several rows; "
                    + "name the primary key with --id-column, or create a unique index"
            )
        }
        if !row.flag(5) {
            let identifier = SQLName.quote(column)
            let missing = try database.rows(
                "SELECT 1::bigint FROM \(name.quoted) WHERE \(identifier) IS NULL LIMIT 1"
            )
            guard missing.isEmpty else {
                throw CommandFailure(
                    .malformed,
                    "\(described(column)) is NULL in some rows; give each row its own"
                )
            }
        }
        guard let type = row.text(0) else { throw unknown(column) }
        return (type, row.flag(6))
    }

    /// Checks a column of hashes or salts.
    func checkTexts(_ column: String, isWritten: Bool) throws {
        let row = try find(column)
        guard row.flag(1) else {
            throw CommandFailure(
                .malformed,
                "\(described(column)) is of the type \(row.text(0) ?? "?"), and not text, varchar or char"
            )
        }
        guard row.flag(3) || !isWritten else {
            throw CommandFailure(
                .refused,
                "this role may not change \(described(column)); grant it UPDATE on the column"
            )
        }
    }

    private func find(_ column: String) throws -> UpgradeRow {
        let rows = try database.rows(Self.statement, [.integer(objectID), .text(column)])
        guard let row = rows.first else { throw unknown(column) }
        guard row.flag(2) else {
            throw CommandFailure(
                .refused,
                "this role may not read \(described(column)); grant it SELECT on the column"
            )
        }
        return row
    }

    private func unknown(_ column: String) -> CommandFailure {
        CommandFailure(
            .malformed,
            "\(table) has no column \(ShellQuoting.quote(Array(column.utf8)))"
        )
    }

    private func described(_ column: String) -> String {
        "\(table): the column \(ShellQuoting.quote(Array(column.utf8)))"
    }

    private static let statement = """
        SELECT format_type(a.atttypid, -1), \
        (CASE WHEN t.typbasetype = 0 THEN t.typcategory ELSE b.typcategory END = 'S')::int::bigint, \
        has_column_privilege($1::bigint::oid, a.attnum, 'SELECT')::int::bigint, \
        has_column_privilege($1::bigint::oid, a.attnum, 'UPDATE')::int::bigint, \
        EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = a.attrelid AND i.indisunique AND i.indisvalid \
        AND i.indpred IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum)::int::bigint, \
        a.attnotnull::int::bigint, (n.nspname = 'pg_catalog')::int::bigint \
        FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid \
        JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace \
        LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype \
        WHERE a.attrelid = $1::bigint::oid AND a.attname = $2::text AND a.attnum > 0 AND NOT a.attisdropped
        """
}
