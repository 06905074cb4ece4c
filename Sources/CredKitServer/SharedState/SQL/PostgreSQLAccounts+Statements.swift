// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PostgreSQLAccounts {
    /// The statements of a table.
    struct Statements: Sendable {
        let selection: SQLStatement
        let number: SQLStatement
        let update: SQLStatement
        let sample: SQLStatement
        let change: SQLStatement
        let insertion: SQLStatement
        let removal: SQLStatement
        let names: SQLStatement

        /// - Parameters:
        ///   - columns: The table.
        ///   - equality: The operator that compares names, with its schema.
        ///   - type: The type for which it does.
        init(_ columns: Table, equality: String, type: String) {
            let table = SQLName(schema: columns.schema, table: columns.table).quoted
            let (name, credential) = (SQLName.quote(columns.name), SQLName.quote(columns.credential))
            let identifier = columns.identifier.map { "\(SQLName.quote($0))::bigint" } ?? "NULL::bigint"
            let (text, equals) = ("pg_catalog.text", "OPERATOR(pg_catalog.=)")
            // The first comparison can use an index. The second compares bytes: the first can ignore case, by its type or collation.
            let isNamed =
                "\(name)::\(type) \(equality) $1::\(text)::\(type) AND \(name)::\(text) COLLATE pg_catalog.\"C\" \(equals) $1::\(text)"
            selection = SQLStatement(
                "account",
                "SELECT \(name)::\(text), \(credential)::\(text) FROM \(table) WHERE \(isNamed) LIMIT 2"
            )
            number = SQLStatement(
                "number",
                "SELECT \(identifier), \(credential)::\(text) FROM \(table) WHERE \(isNamed) AND \(credential) IS NOT NULL LIMIT 1"
            )
            update = SQLStatement(
                "replace",
                "UPDATE \(table) SET \(credential) = $2::\(text) WHERE \(isNamed) AND \(credential)::\(text) \(equals) $3::\(text)",
                runsTriggers: true
            )
            sample = SQLStatement(
                "sample",
                "SELECT \(credential)::\(text) FROM \(table) WHERE \(credential) IS NOT NULL LIMIT 20000"
            )
            change = SQLStatement("change", "\(update.text) RETURNING 1::pg_catalog.int8", runsTriggers: true)
            // Divides by zero if the table stores another name, as a column does that cuts or pads it, or a trigger.
            let isStored =
                "(\(name)::\(text) COLLATE pg_catalog.\"C\" \(equals) $1::\(text))::pg_catalog.int4"
            insertion = SQLStatement(
                "insert",
                "INSERT INTO \(table) (\(name), \(credential)) VALUES ($1::\(text)::\(type), $2::\(text)) "
                    + "ON CONFLICT (\(name)) DO NOTHING "
                    + "RETURNING (1 OPERATOR(pg_catalog./) \(isStored))::pg_catalog.int8",
                runsTriggers: true
            )
            removal = SQLStatement(
                "remove",
                "DELETE FROM \(table) WHERE \(isNamed) RETURNING 1::pg_catalog.int8",
                runsTriggers: true
            )
            names = SQLStatement("names", "SELECT \(name)::\(text) FROM \(table) WHERE \(name) IS NOT NULL")
        }

        /// The numbers of the table and of its owner, and whether the owners of the schema, of the types of the columns with their
        /// schemas, and of partitions are this role, the table's or the database's owner, or superusers. Others could put another
        /// table in its place, or run casts and triggers with the rights of this role.
        ///
        /// Where earlier tables are known (`$6`), this one must be one of them, have the owner that one of them has now, or that the
        /// last one had (`$7`) before it was dropped, or one who could also change their rights.
        ///
        /// Then whether all code that PostgreSQL runs by itself for the table belongs to these roles, for a change also that of its
        /// triggers.
        static func trust(forChange isChange: Bool) -> SQLStatement {
            isChange ? trustOfChange : trustOfReading
        }

        private static let trustOfReading = SQLStatement(
            "trust",
            trustText(TrustedOwner.trustsCode(ofTable: "c.oid", withTriggers: false))
        )

        private static let trustOfChange = SQLStatement(
            "trust",
            trustText(
                TrustedOwner.trustsCode(ofTable: "c.oid", withTriggers: true) + " AND "
                    + TrustedOwner.trustsTriggers(ofTable: "c.oid")
            )
        )

        private static func trustText(_ code: String) -> String {
            """
            SELECT c.oid::bigint, c.relowner::bigint,
              (($6::text = '{}' OR c.oid = ANY ($6::text::oid[])
                OR c.relowner IN (SELECT e.relowner FROM pg_class e WHERE e.oid = ANY ($6::text::oid[]))
                OR c.relowner = $7::bigint::oid
                  AND NOT EXISTS (SELECT FROM pg_class e WHERE e.oid = $8::bigint::oid)
                OR \(TrustedOwner.isTrusted("c.relowner", ofTable: "0::oid")))
              AND \(TrustedOwner.isTrusted("n.nspowner", ofTable: "c.oid")) AND \(TrustedOwner.trustsParts(ofTable: "c.oid"))
              AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
                AND a.attname::text = ANY (ARRAY[$3::text, $4::text, $5::text])
                AND NOT (\(TrustedOwner.trustsTypes("a.atttypid", ofTable: "c.oid")))))::int::bigint,
              (\(code))::int::bigint
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = $1::text AND c.relname = $2::text
            """
        }

        private static let typeName = """
            (SELECT quote_ident(s.nspname) || '.' || quote_ident(y.typname)
              FROM pg_type y JOIN pg_namespace s ON s.oid = y.typnamespace WHERE y.oid = k.opcintype)
            """

        /// The operator by which an index of the column compares, and its type, if the column's type is one of texts and has such an
        /// operator. It can be in any schema, as that of `citext` is.
        static let equality = SQLStatement(
            "equality",
            """
            SELECT ('OPERATOR(' || quote_ident(s.nspname) || '.' || o.oprname || ')')::text,
              \(Self.typeName), k.opcintype::bigint, o.oid::bigint,
              \(BoundTable.operatorName(schema: "s.nspname", name: "o.oprname", type: Self.typeName))
            FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
              JOIN pg_opclass k ON k.opcintype = CASE WHEN t.typbasetype = 0 THEN t.oid ELSE t.typbasetype END
              JOIN pg_am m ON m.oid = k.opcmethod
              JOIN pg_amop p ON p.amopfamily = k.opcfamily AND p.amoplefttype = k.opcintype
                AND p.amoprighttype = k.opcintype
              JOIN pg_operator o ON o.oid = p.amopopr JOIN pg_namespace s ON s.oid = o.oprnamespace
            WHERE a.attrelid = $1::bigint::oid AND a.attname = $2::text AND a.attnum > 0
              AND t.typcategory = 'S' AND k.opcdefault AND m.amname = 'btree' AND p.amopstrategy = 3
            """
        )
    }
}
