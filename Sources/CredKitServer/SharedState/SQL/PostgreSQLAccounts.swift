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
/// The role of the client needs the right to `SELECT` these columns; for ``replace(_:with:ofAccountNamed:)`` and
/// ``set(_:inPlaceOf:ofAccountNamed:)`` to `UPDATE` that of the credential; for new accounts to `INSERT` both; and for
/// ``remove(accountNamed:)`` to `DELETE`.
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

    private let runner: any SQLStatementRunner
    private let table: Table
    private let timeLimit: Duration
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

    func run(
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
        guard limit > timeLimit else { return [] }
        let text = "SET LOCAL statement_timeout = \(limit.microseconds / 1000)"
        return [SQLStatement.Condition(text, isUnique: true)]
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
