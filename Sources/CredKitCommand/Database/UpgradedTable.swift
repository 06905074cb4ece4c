// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitTerminal

/// A table of a database whose hashes are to be upgraded or audited, as the catalog describes it.
struct UpgradedTable: Sendable {
    /// How the column's unique index compares identifiers, as a statement names it: each name with its schema.
    struct Identifiers: Sendable {
        let type: String
        let less: String
        let lessOrEqual: String
        let equal: String
        let greater: String
        /// The collation of the index with the word before it; empty for a type that has none.
        let collation: String
        /// The type and the operators, with PostgreSQL's numbers of them.
        let names: [BoundTable.Name]
    }

    let table: BoundTable
    let idColumn: String
    let identifiers: Identifiers
    let hashColumn: String
    let saltColumn: String?
    /// About how many rows there are; `nil` if that is unknown.
    let estimatedRows: Int?

    /// The name, with the schema.
    var name: SQLName { table.name }
    /// PostgreSQL's number of the table.
    var objectID: Int64 { table.objectID }
    /// The name for messages.
    var shown: String { Self.shown(name) }

    static func shown(_ name: SQLName) -> String {
        [name.schema, name.table].compactMap { $0 }.map { ShellQuoting.quote(Array($0.utf8)) }
            .joined(separator: ".")
    }

    /// Finds a table and its columns, and checks that it can be upgraded in place, or else that it can be read.
    static func find(
        _ name: SQLName,
        idColumn: String,
        hashColumn: String,
        saltColumn: String?,
        isReadOnly: Bool,
        in database: UpgradeDatabase
    ) throws -> UpgradedTable {
        let found = try (name.schema.map { [$0] } ?? database.searchPath()).compactMap { schema in
            try database.rows(
                tableStatement,
                [.text(schema), .text(name.table)],
                conditions: [TrustedOwner.preparation]
            )
            .first.map { (schema, $0) }
        }
        guard let (schema, row) = found.first, let objectID = row.integer(0) else {
            throw CommandFailure(
                .malformed,
                "the database has no table \(shown(name)) that this role can see"
            )
        }
        // Another role may have created one of them so that it is found first.
        guard found.count == 1 else {
            let names = found.map { shown(SQLName(schema: $0.0, table: name.table)) }.joined(separator: ", ")
            throw CommandFailure(
                .malformed,
                "several tables have this name: \(names); name one of them with its schema"
            )
        }
        let name = SQLName(schema: schema, table: name.table)
        guard row.flag(5) else {
            throw CommandFailure(
                .refused,
                "\(shown(name)): the schema belongs to another role, which could put another table in the place of this one; "
                    + "give it the owner of the table"
            )
        }
        guard row.flag(6) else {
            throw CommandFailure(
                .refused,
                "\(shown(name)) has a part that belongs to another role, whose triggers would run with the rights of this one; "
                    + "give it the owner of the table"
            )
        }
        // Also reading runs what indexes and policies call.
        guard row.flag(isReadOnly ? 10 : 11) else {
            throw CommandFailure(
                .refused,
                "\(shown(name)): its triggers, constraints, indexes, rules or policies call functions of other roles, which would run with "
                    + "the rights of this one; drop them, or give the functions the owner of the table"
            )
        }
        guard isReadOnly || row.flag(8) else {
            throw CommandFailure(
                .refused,
                "\(shown(name)) has a trigger that runs a text, or that another role may have created, and that would run with the rights "
                    + "of this one: look at its triggers, drop those of others, and revoke TRIGGER on it"
            )
        }
        guard row.flag(9) else {
            throw CommandFailure(
                .malformed,
                "\(shown(name)) has tables that inherit from it, whose rows can have the same identifiers: take each on its own"
            )
        }
        guard row.flag(1) else {
            throw CommandFailure(.malformed, "\(shown(name)) is a view or a foreign table, and no table")
        }
        guard isReadOnly || !row.flag(2) else {
            throw CommandFailure(
                .unavailable,
                "the server is a standby, which cannot be written to; connect to the primary (target_session_attrs=read-write)"
            )
        }
        guard !row.flag(3) else {
            throw CommandFailure(
                .refused,
                "\(shown(name)): row-level security hides rows from this role; use the table's owner, or a role with BYPASSRLS"
            )
        }
        let columns = ColumnFinder(database: database, objectID: objectID, table: shown(name))
        var table = BoundTable(name: name, objectID: objectID, owner: row.integer(7) ?? 0)
        table.columns = [idColumn, hashColumn] + [saltColumn].compactMap { $0 }
        table.needsAllRows = true
        let identifiers = try columns.checkIdentifiers(idColumn, of: table)
        try columns.checkTexts(hashColumn, isWritten: !isReadOnly)
        if let saltColumn { try columns.checkTexts(saltColumn, isWritten: false) }
        table.names = identifiers.names
        return UpgradedTable(
            table: table,
            idColumn: idColumn,
            identifiers: identifiers,
            hashColumn: hashColumn,
            saltColumn: saltColumn,
            estimatedRows: row.integer(4).flatMap { $0 > 0 ? Int($0) : nil }
        )
    }

    private static let tableStatement = """
        SELECT c.oid::bigint, (c.relkind IN ('r', 'p'))::int::bigint, \
        pg_is_in_recovery()::int::bigint, row_security_active(c.oid)::int::bigint, c.reltuples::bigint, \
        (\(TrustedOwner.isTrusted("n.nspowner", ofTable: "c.oid")))::int::bigint, \
        (\(TrustedOwner.trustsParts(ofTable: "c.oid")))::int::bigint, c.relowner::bigint, \
        (\(TrustedOwner.trustsTriggers(ofTable: "c.oid")))::int::bigint, \
        (c.relkind = 'p' OR NOT EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE i.inhparent = c.oid))::int::bigint, \
        (\(TrustedOwner.trustsCode(ofTable: "c.oid", withTriggers: false)))::int::bigint, \
        (\(TrustedOwner.trustsCode(ofTable: "c.oid", withTriggers: true)))::int::bigint \
        FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
        WHERE n.nspname = $1::text AND c.relname = $2::text AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
        """
}

extension BoundTable {
    /// Returns what an error of a statement with the conditions means: a trigger of the table can cause the same ones. `isReading`
    /// tells whether the statement did not change rows, and had no conditions of a change.
    func meaning(of error: any Error, in database: UpgradeDatabase, isReading: Bool = false) -> any Error {
        guard Self.failures.contains((error as? SharedStateError)?.sqlState ?? "") else { return error }
        do {
            try database.rows("SELECT 1::bigint", conditions: isReading ? conditions : conditionsOfChange)
            return error
        } catch let again {
            guard Self.failures.contains((again as? SharedStateError)?.sqlState ?? "") else { return error }
        }
        return CommandFailure(
            .tryAgain,
            "the table \(UpgradedTable.shown(name)) was renamed, exchanged for another one or has another trigger, constraint, index or policy "
                + "now; run the command again when it is as it was"
        )
    }
}
