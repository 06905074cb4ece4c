// Part of CredKit. SPDX-License-Identifier: Apache-2.0

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
/// each spelling would have its own attempts. Two rows of one name are an error. A column with an index makes the search fast, unless
/// it is of type `char`.
///
/// > Warning: A password that is changed in the table ends no sessions: call ``SessionManager/revokeAll(of:)`` where it is changed.
public struct PostgreSQLAccounts: LoginAccounts {
    /// A table with a row for each user.
    public struct Table: Sendable, Hashable {
        let selection: String
        let update: String
        let sample: String

        /// Creates a description. All names are those of PostgreSQL, without quotes.
        ///
        /// - Parameters:
        ///   - table: The table or view.
        ///   - schema: Its schema; `nil` if the search path of the role is to find it.
        ///   - name: The column with the name of a user.
        ///   - credential: The column with the text of a ``StoredCredential``; a user with `NULL` cannot log in.
        ///   - identifier: A column with a whole number for each user; `nil` if there is none.
        public init(
            _ table: String,
            schema: String? = nil,
            name: String,
            credential: String,
            identifier: String? = nil
        ) {
            let table = SQLName(schema: schema, table: table).quoted
            let (name, credential) = (SQLName.quote(name), SQLName.quote(credential))
            let number = identifier.map { "\(SQLName.quote($0))::bigint" } ?? "NULL::bigint"
            selection =
                "SELECT \(name)::text, \(credential)::text, \(number) FROM \(table) WHERE \(name) = $1::text LIMIT 2"
            update =
                "UPDATE \(table) SET \(credential) = $2::text WHERE \(name) = $1::text AND \(credential)::text = $3::text"
            // Verifiers of one count of iterations and one length of the salt have one length.
            sample = """
                SELECT min(c), count(*)::bigint FROM
                  (SELECT \(credential)::text AS c FROM \(table) WHERE \(credential)::text LIKE '%SCRAM-SHA-256$%' LIMIT 20000) s
                GROUP BY split_part(c, ':', 1), length(c) LIMIT 1000
                """
        }
    }

    /// A user with the number in the table.
    package struct Row: Sendable {
        /// The user.
        package let account: LoginAccount
        /// The number; `nil` if the table has none.
        package let identifier: Int64?
    }

    private let runner: any SQLStatementRunner
    private let table: Table
    private let timeLimit: Duration

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
    /// - Returns: The user; `nil` if there is none.
    /// - Throws: ``SharedStateError``, ``LoginServerError/malformedCredential``, and what the client throws.
    public func account(named name: String) async throws -> LoginAccount? {
        try await row(named: name)?.account
    }

    /// Finds a user and the number.
    ///
    /// - Parameter name: The name that the client sent.
    /// - Returns: The user; `nil` if there is none.
    /// - Throws: As ``account(named:)``.
    package func row(named name: String) async throws -> Row? {
        // No text of PostgreSQL contains NUL.
        guard !name.utf8.contains(0) else { return nil }
        let rows = try await run("account", table.selection, [.text(name)])
        guard rows.count <= 1 else {
            throw SharedStateError(.wrongContent, message: "the table of users has two rows of one name")
        }
        guard let row = rows.first else { return nil }
        guard row.count == 3, case .text(let stored) = row[0] else {
            throw SharedStateError(.malformedAnswer)
        }
        guard stored.utf8.elementsEqual(name.utf8) else { return nil }
        let credential: StoredCredential
        switch row[1] {
        case .null: credential = .unusable
        case .text(let text): credential = try StoredCredential(text)
        default: throw SharedStateError(.malformedAnswer)
        }
        let account = LoginAccount(name: stored, credential: credential)
        switch row[2] {
        case .null: return Row(account: account, identifier: nil)
        case .integer(let number): return Row(account: account, identifier: number)
        default: throw SharedStateError(.malformedAnswer)
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
        _ = try await run("replace", table.update, [.text(name), .text(newer.text), .text(credential.text)])
    }

    /// Returns one verifier of SCRAM-SHA-256 of each kind among the first 20,000 verifiers of the table, and how many are of the kind.
    ///
    /// - Returns: The verifiers.
    /// - Throws: As ``account(named:)``.
    package func sampledVerifiers() async throws -> [(credential: StoredCredential, count: Int)] {
        try await run("kinds", table.sample, []).map { row in
            guard row.count == 2, case .text(let text) = row[0], case .integer(let count) = row[1] else {
                throw SharedStateError(.malformedAnswer)
            }
            return (try StoredCredential(text), Int(count))
        }
    }

    private func run(_ name: String, _ text: String, _ parameters: [SQLValue]) async throws -> [[SQLValue]] {
        try await EngineBudget.step(upTo: timeLimit) { limit in
            try await runner.run(SQLStatement(name, text), parameters: parameters, within: limit)
        }
    }
}
