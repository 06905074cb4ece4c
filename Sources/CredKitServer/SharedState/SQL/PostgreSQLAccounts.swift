// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem

/// The users in a table of PostgreSQL, whose columns you name.
///
/// ```swift
/// let table = PostgreSQLAccounts.Table("users", schema: "app", name: "login", credential: "password_hash")
/// let accounts = PostgreSQLAccounts(client, table: table)
/// ```
///
/// The role of the client needs the right to `SELECT` these columns, and for ``replace(_:with:ofAccountNamed:)`` to `UPDATE` that of
/// the credential.
///
/// A name must be equal byte by byte: a column that ignores case or accents finds no user under another spelling than its own, since
/// each spelling would have its own attempts. Two rows of one name are an error. A column with an index makes the search fast.
///
/// > Warning: A password that is changed in the table ends no sessions: call ``SessionTokenStore/revokeAll(of:)`` where it is changed.
public struct PostgreSQLAccounts: LoginAccounts {
    /// A table with a row for each user.
    public struct Table: Sendable, Hashable {
        let table: String
        let schema: String
        let name: String
        let credential: String
        let identifier: String?

        /// Creates a description. All names are those of PostgreSQL, without quotes.
        ///
        /// - Parameters:
        ///   - table: The table or view.
        ///   - schema: Its schema, such as `public`. There is no default: in a search path, another role's table of the same name
        ///     could be found first.
        ///   - name: The column with the name of a user.
        ///   - credential: The column with the text of a ``StoredCredential``; a user with `NULL` cannot log in.
        ///   - identifier: A column with a whole number for each user; `nil` if there is none.
        public init(
            _ table: String,
            schema: String,
            name: String,
            credential: String,
            identifier: String? = nil
        ) {
            self.table = table
            self.schema = schema
            self.name = name
            self.credential = credential
            self.identifier = identifier
        }
    }

    /// The statements of a table.
    struct Statements: Sendable {
        let selection: SQLStatement
        let number: SQLStatement
        let update: SQLStatement
        let sample: SQLStatement

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

    private let runner: any SQLStatementRunner
    private let table: Table
    private let timeLimit: Duration
    /// The table that has the name.
    private struct Bound {
        let table: BoundTable
        /// The tables that had the name before, and this one.
        let objectIDs: [Int64]
        let statements: Statements
        /// The owner of a table can let it call other code at any time. That is asked for each minute, not at each login.
        let end = ContinuousClock.now + .seconds(60)

        func statement(_ part: (Statements) -> SQLStatement, after first: [SQLStatement.Condition])
            -> SQLStatement
        {
            var statement = part(statements)
            statement.conditions = first
            statement.conditions += statement.runsTriggers ? table.conditionsOfChange : table.conditions
            return statement
        }
    }

    /// What the first statement finds out.
    private let bound = Lock<Bound?>(nil)

    /// Creates a view of a table.
    ///
    /// - Parameters:
    ///   - runner: The client of the PostgreSQL server.
    ///   - table: The table and its columns.
    ///   - timeLimit: How long a statement may take; within an ``EngineBudget`` no longer than that.
    public init(
        _ runner: some SQLStatementRunner,
        table: Table,
        timeLimit: Duration = .milliseconds(300)
    ) {
        self.runner = runner
        self.table = table
        self.timeLimit = timeLimit
    }

    /// Finds a user.
    ///
    /// - Parameter name: The name that the client sent.
    /// - Returns: The user; `nil` if there is none. A text that is no credential, such as `!` or `disabled`, is
    ///   ``StoredCredential/unusable``, so that its user cannot be told from others who cannot log in.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func account(named name: String) async throws -> LoginAccount? {
        let rows = try await rows(\.selection, of: name)
        guard rows.count <= 1 else {
            throw SharedStateError(.wrongContent, message: "the table of users has two rows of one name")
        }
        guard let row = rows.first else { return nil }
        guard row.count == 2, case .text(let stored) = row[0] else {
            throw SharedStateError(.malformedAnswer)
        }
        guard stored.utf8.elementsEqual(name.utf8) else { return nil }
        switch row[1] {
        case .null: return LoginAccount(name: stored, credential: .unusable)
        case .text(let text):
            return LoginAccount(name: stored, credential: (try? StoredCredential(text)) ?? .unusable)
        default: throw SharedStateError(.malformedAnswer)
        }
    }

    /// Finds the number of a user who has a credential.
    ///
    /// - Parameter name: The name.
    /// - Returns: The number, 0 if the table has none; `nil` if there is no such user.
    /// - Throws: As ``account(named:)``.
    public func identifier(named name: String) async throws -> Int64? {
        guard let row = try await rows(\.number, of: name).first else { return nil }
        // A text that is no credential, such as `!`, disables a user as `NULL` does.
        guard row.count == 2, case .text(let text) = row[1] else { throw SharedStateError(.malformedAnswer) }
        guard let credential = try? StoredCredential(text), credential != .unusable else { return nil }
        switch row.first {
        case .null: return 0
        case .integer(let number): return number
        default: throw SharedStateError(.malformedAnswer)
        }
    }

    /// Returns the rows of a name; none for a name that the database cannot store.
    private func rows(_ statement: @Sendable (Statements) -> SQLStatement, of name: String) async throws
        -> [[SQLValue]]
    {
        // No text of PostgreSQL contains NUL.
        guard !name.utf8.contains(0) else { return [] }
        do {
            return try await run(statement, [.text(name)])
        } catch let error as SharedStateError where ["22P05", "22021"].contains(error.sqlState) {
            return []
        }
    }

    /// Stores a credential in place of another one, unless the row has a third one by now.
    ///
    /// - Parameters:
    ///   - credential: The credential that was verified.
    ///   - newer: What to store in its place.
    ///   - name: The account's name in the table.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func replace(
        _ credential: StoredCredential,
        with newer: StoredCredential,
        ofAccountNamed name: String
    ) async throws {
        _ = try await run(\.update, [.text(name), .text(newer.text), .text(credential.text)])
    }

    /// Reads the credentials of up to 20,000 rows of the table, which show its kinds: for
    /// ``PasswordService/prepare(for:)`` and for mock verifiers.
    ///
    /// - Returns: The credentials; texts that are none are left out.
    /// - Throws: As ``account(named:)``.
    public func sample() async throws -> [StoredCredential] {
        // Some megabytes, once at a start: no login waits for them.
        try await run(\.sample, [], upTo: max(timeLimit, .seconds(10))).compactMap { row in
            guard row.count == 1, case .text(let text) = row[0] else {
                throw SharedStateError(.malformedAnswer)
            }
            return try? StoredCredential(text)
        }
    }

    private func run(
        _ statement: @Sendable (Statements) -> SQLStatement,
        _ parameters: [SQLValue],
        upTo longest: Duration? = nil
    ) async throws -> [[SQLValue]] {
        try await EngineBudget.step(upTo: longest ?? timeLimit) { limit in
            let end = ContinuousClock.now + limit
            let first = try await bound(within: limit)
            do {
                return try await runner.run(
                    first.statement(statement, after: patience(limit)),
                    parameters: parameters,
                    within: end - .now
                )
            } catch let error as SharedStateError where BoundTable.failures.contains(error.sqlState ?? "") {
                // A trigger can cause the same errors.
                let isChange = statement(first.statements).runsTriggers
                let next = try await bind(after: first, forChange: isChange, within: end - .now)
                guard next.table != first.table else { throw error }
                return try await runner.run(
                    next.statement(statement, after: patience(limit)),
                    parameters: parameters,
                    within: end - .now
                )
            }
        }
    }

    func statements(within limit: Duration) async throws -> Statements {
        try await bound(within: limit).statements
    }

    private func bound(within limit: Duration) async throws -> Bound {
        let known = bound.withLock { $0 }
        if let known, .now < known.end { return known }
        return try await bind(after: known, forChange: false, within: limit)
    }

    /// The setting of the role permits what a login may wait. What runs once at a start may take longer.
    private func patience(_ limit: Duration) -> [SQLStatement.Condition] {
        limit > timeLimit
            ? [SQLStatement.Condition("SET LOCAL statement_timeout = \(limit.microseconds / 1000)")] : []
    }

    /// Finds the table of the name and whether it may be used: another role could make one once an earlier one is renamed.
    private func bind(after earlier: Bound?, forChange isChange: Bool, within limit: Duration) async throws
        -> Bound
    {
        let names = [table.schema, table.table, table.name, table.credential, table.identifier ?? ""]
        let objectIDs = earlier?.objectIDs ?? []
        let end = ContinuousClock.now + limit
        var statement = Statements.trust(forChange: isChange)
        statement.conditions = [TrustedOwner.preparation] + patience(limit)
        let trust = try await runner.run(
            statement,
            parameters: names.map { .text($0) } + [
                .text("{" + objectIDs.map(String.init).joined(separator: ",") + "}"),
                .integer(earlier?.table.owner ?? 0), .integer(earlier?.table.objectID ?? 0),
            ],
            within: limit
        )
        // A table that is missing now can be made by another role later, which must be looked at then.
        guard let answer = trust.first else {
            throw SharedStateError(
                .wrongContent,
                message: "there is no table of users, or this role cannot see its schema"
            )
        }
        guard answer.count == 4, case .integer(let objectID) = answer[0],
            case .integer(let owner) = answer[1],
            answer[2] == .integer(1)
        else {
            throw SharedStateError(
                .wrongContent,
                message:
                    "the schema of the table of users, the type of a column, a partition, or the table that has its name now belongs to "
                    + "another role, whose code or users could be used here: give it the owner of the table"
            )
        }
        guard answer[3] == .integer(1) else {
            let triggers = isChange ? ", or triggers that others could create," : ""
            throw SharedStateError(
                .wrongContent,
                message:
                    "triggers, constraints, indexes, rules or policies of the table of users call functions of other roles\(triggers) "
                    + "with the rights of this one: drop them, or give the functions the owner of the table"
            )
        }
        statement = Statements.equality
        statement.conditions = patience(limit)
        let equality = try await runner.run(
            statement,
            parameters: [.integer(objectID), .text(table.name)],
            within: end - .now
        )
        var (operation, type) = ("OPERATOR(pg_catalog.=)", "pg_catalog.text")
        var named = BoundTable(
            name: SQLName(schema: table.schema, table: table.table),
            objectID: objectID,
            owner: owner
        )
        named.written = table.credential
        named.checksCodeOfReadings = false
        named.columns = [table.name, table.credential] + [table.identifier].compactMap { $0 }
        if let row = equality.first {
            guard row.count == 5, case .text(let found) = row[0], case .text(let typeName) = row[1],
                case .integer(let typeID) = row[2], case .integer(let operatorID) = row[3],
                case .text(let operatorName) = row[4]
            else { throw SharedStateError(.malformedAnswer) }
            (operation, type) = (found, typeName)
            named.names = [.init(typeName, typeID), .init(operatorName, operatorID)]
        }
        let bound = Bound(
            table: named,
            objectIDs: Array((objectIDs.filter { $0 != objectID } + [objectID]).suffix(8)),
            statements: Statements(table, equality: operation, type: type)
        )
        self.bound.withLock { $0 = bound }
        return bound
    }
}
