// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitTerminal

/// Finds the columns of a table, and checks that an upgrade can use them.
struct ColumnFinder {
    let database: UpgradeDatabase
    let objectID: Int64
    /// The name of the table for messages.
    let table: String

    /// Checks the column of the identifiers, and returns how they are compared.
    func checkIdentifiers(_ column: String, of table: BoundTable) throws -> UpgradedTable.Identifiers {
        let row = try find(column)
        guard let index = try database.rows(Self.indexStatement, [.integer(objectID), .text(column)]).first,
            let type = index.text(0), let less = index.text(1), let lessOrEqual = index.text(2),
            let equal = index.text(3), let greater = index.text(4), let collation = index.text(5)
        else {
            throw CommandFailure(
                .malformed,
                "\(described(column)) has no unique index of its own, so an identifier may have several rows; "
                    + "name the primary key with --id-column, or create a unique index"
            )
        }
        if !row.flag(4) {
            let identifier = SQLName.quote(column)
            let missing = try database.rows(
                "SELECT 1::bigint FROM \(table.name.quoted) WHERE \(identifier) IS NULL LIMIT 1",
                conditions: table.conditions
            )
            guard missing.isEmpty else {
                throw CommandFailure(
                    .malformed,
                    "\(described(column)) is NULL in some rows; give each row its own"
                )
            }
        }
        return UpgradedTable.Identifiers(
            type: type,
            less: less,
            lessOrEqual: lessOrEqual,
            equal: equal,
            greater: greater,
            collation: collation.isEmpty ? "" : " COLLATE \(collation)",
            names: [BoundTable.Name(type, index.integer(6) ?? 0)]
                + (0..<4).map {
                    BoundTable.Name(index.text(7 + 2 * $0) ?? "", index.integer(8 + 2 * $0) ?? 0)
                }
        )
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
        guard row.flag(5) else {
            throw CommandFailure(
                .refused,
                "\(described(column)) has a type of another role, whose casts and checks would run with the rights of this one; "
                    + "make the owner of the table its owner"
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
        a.attnotnull::int::bigint, (\(TrustedOwner.trustsTypes("a.atttypid", ofTable: "$1::bigint::oid")))::int::bigint \
        FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid \
        LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype \
        WHERE a.attrelid = $1::bigint::oid AND a.attname = $2::text AND a.attnum > 0 AND NOT a.attisdropped
        """

    /// The type and the operators `<`, `<=`, `=` and `>` by which a unique index of the column compares. Operators for polymorphic
    /// types, such as those of enums, are PostgreSQL's own and take the column's type.
    private static let indexStatement = """
        SELECT (SELECT quote_ident(s.nspname) || '.' || quote_ident(y.typname) FROM pg_catalog.pg_type y \
        JOIN pg_catalog.pg_namespace s ON s.oid = y.typnamespace \
        WHERE y.oid = CASE WHEN t.typtype = 'p' THEN i.type ELSE c.opcintype END), \
        \(operatorQuery(1)), \(operatorQuery(2)), \(operatorQuery(3)), \(operatorQuery(5)), \
        coalesce((SELECT quote_ident(s.nspname) || '.' || quote_ident(l.collname) FROM pg_catalog.pg_collation l \
        JOIN pg_catalog.pg_namespace s ON s.oid = l.collnamespace WHERE l.oid = i.collation), ''), \
        (CASE WHEN t.typtype = 'p' THEN i.type ELSE c.opcintype END)::bigint, \
        \([1, 2, 3, 5].map { "\(operatorQuery($0, operatorName)), \(operatorQuery($0, "o.oid::bigint"))" }.joined(separator: ", ")) \
        FROM (SELECT i.indclass[0] AS class, i.indcollation[0] AS collation, a.atttypid AS type FROM pg_catalog.pg_index i \
        JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] \
        WHERE i.indrelid = $1::bigint::oid AND a.attname = $2::text AND i.indisunique AND i.indisvalid \
        AND i.indpred IS NULL AND i.indnkeyatts = 1 ORDER BY i.indisprimary DESC, i.indexrelid LIMIT 1) i \
        JOIN pg_catalog.pg_opclass c ON c.oid = i.class JOIN pg_catalog.pg_type t ON t.oid = c.opcintype
        """

    private static let operatorName = BoundTable.operatorName(
        schema: "n.nspname",
        name: "o.oprname",
        type: """
            (SELECT quote_ident(s.nspname) || '.' || quote_ident(y.typname) FROM pg_catalog.pg_type y \
            JOIN pg_catalog.pg_namespace s ON s.oid = y.typnamespace WHERE y.oid = c.opcintype)
            """
    )

    private static func operatorQuery(
        _ strategy: Int,
        _ value: String = "'OPERATOR(' || quote_ident(n.nspname) || '.' || o.oprname || ')'"
    ) -> String {
        """
        (SELECT \(value) FROM pg_catalog.pg_amop m \
        JOIN pg_catalog.pg_operator o ON o.oid = m.amopopr JOIN pg_catalog.pg_namespace n ON n.oid = o.oprnamespace \
        WHERE m.amopfamily = c.opcfamily AND m.amoplefttype = c.opcintype AND m.amoprighttype = c.opcintype \
        AND m.amopstrategy = \(strategy))
        """
    }
}
