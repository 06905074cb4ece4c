// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A table whose name could become that of another one: each statement that uses the name asks whether it still is that of this
/// table.
package struct BoundTable: Sendable, Equatable {
    /// The name, with the schema.
    package let name: SQLName
    /// PostgreSQL's number of the table.
    package let objectID: Int64
    /// PostgreSQL's number of its owner.
    package let owner: Int64
    /// The columns that statements name. PostgreSQL takes the name of one that is gone for that of a function of the row.
    package var columns: [String] = []
    /// The type and operators that statements name.
    package var names: [Name] = []
    /// The column that a change writes, if all changes write one: a view can permit `UPDATE` alone.
    package var written: String?
    /// Whether each reading asks for the owners of the code of the table, which takes some milliseconds. A change always does.
    package var checksCodeOfReadings = true
    /// Whether the rows that row-level security would hide must be seen.
    package var needsAllRows = false

    /// The name of a type, or of an operator with its types, and PostgreSQL's number of what had it.
    package struct Name: Sendable, Hashable {
        package let text: String
        package let objectID: Int64

        package init(_ text: String, _ objectID: Int64) {
            self.text = text
            self.objectID = objectID
        }
    }

    package init(name: SQLName, objectID: Int64, owner: Int64) {
        self.name = name
        self.objectID = objectID
        self.owner = owner
    }

    /// Statements that fail unless the name still is that of this table, and keep it so until the transaction ends. A role that may
    /// create tables could otherwise put one with triggers in the place of one that was renamed.
    package var conditions: [SQLStatement.Condition] { conditions(writing: false) }

    /// The same conditions before a change of rows, which runs the triggers of the table.
    package var conditionsOfChange: [SQLStatement.Condition] { conditions(writing: true) }

    /// What a failed condition answers: a division by zero, an unknown table, or one of a kind that has no rows to change.
    package static let failures: Set = ["22012", "42P01", "55000", "42809"]

    /// Returns the name of an operator of a type with itself, as an expression in SQL.
    package static func operatorName(schema: String, name: String, type: String) -> String {
        "quote_ident(\(schema)) || '.' || \(name) || '(' || \(type) || ',' || \(type) || ')'"
    }

    private func conditions(writing isWriting: Bool) -> [SQLStatement.Condition] {
        // One that a broken transaction leaves behind in a pool of connections must not be in the way.
        let lock = "credkit_\(UInt64.random(in: 0 ... .max))"
        // Locks what has the name, without rights and without running anything of it; a change also keeps new triggers out.
        let change =
            written.map { "UPDATE \(name.quoted) SET \(SQLName.quote($0)) = DEFAULT" }
            ?? "DELETE FROM \(name.quoted)"
        let statement = isWriting ? change : "SELECT FROM \(name.quoted)"
        let code =
            isWriting || checksCodeOfReadings
            ? " AND \(TrustedOwner.trustsCode(ofTable: "c.oid", withTriggers: isWriting))" : ""
        let triggers = isWriting ? " AND \(TrustedOwner.trustsTriggers(ofTable: "c.oid"))" : ""
        var parameters: [SQLValue] = [
            .text(name.schema ?? ""), .text(name.table), .integer(objectID), .integer(owner),
        ]
        var further = needsAllRows ? " AND NOT pg_catalog.row_security_active(c.oid)" : ""
        for column in Set(columns) {
            parameters.append(.text(column))
            further +=
                " AND EXISTS (SELECT FROM pg_catalog.pg_attribute ca WHERE ca.attrelid = c.oid AND ca.attnum > 0 "
                + "AND NOT ca.attisdropped AND ca.attname = $\(parameters.count)::text)"
        }
        for name in names {
            parameters += [.text(name.text), .integer(name.objectID)]
            let function = name.text.hasSuffix(")") ? "to_regoperator" : "to_regtype"
            further +=
                " AND pg_catalog.\(function)($\(parameters.count - 1)::text)::oid = $\(parameters.count)::bigint::oid"
        }
        return [
            SQLStatement.Condition("PREPARE \(lock) AS \(statement)", isUnique: true),
            SQLStatement.Condition("DEALLOCATE \(lock)", isUnique: true),
            TrustedOwner.preparation,
            // Fails with a division by zero.
            SQLStatement.Condition(
                """
                SELECT 1 / count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
                WHERE n.nspname = $1::text AND c.relname = $2::text AND c.oid = $3::bigint::oid AND c.relowner = $4::bigint::oid \
                AND \(TrustedOwner.isTrusted("n.nspowner", ofTable: "c.oid"))\(code)\(triggers)\(further)
                """,
                parameters
            ),
        ]
    }
}
