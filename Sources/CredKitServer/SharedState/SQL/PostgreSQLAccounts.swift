// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

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
/// > Warning: A password that is changed in the table ends no sessions: call ``SessionTokenStore/revokeAll(of:)`` where it is changed.
public struct PostgreSQLAccounts: LoginAccounts {
    /// A table with a row for each user.
    public struct Table: Sendable, Hashable {
        let selection: String
        let number: String
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
            let identifier = identifier.map { "\(SQLName.quote($0))::bigint" } ?? "NULL::bigint"
            // The first comparison can use an index. The second compares bytes: the first can ignore case, by its collation.
            let isNamed = "\(name) = $1::text AND \(name)::text COLLATE \"C\" = $1::text"
            selection =
                "SELECT \(name)::text, \(credential)::text FROM \(table) WHERE \(isNamed) LIMIT 2"
            number =
                "SELECT \(identifier) FROM \(table) WHERE \(isNamed) AND \(credential) IS NOT NULL LIMIT 1"
            update =
                "UPDATE \(table) SET \(credential) = $2::text WHERE \(isNamed) AND \(credential)::text = $3::text"
            // Verifiers of one count of iterations and one length of the salt have one length.
            sample = """
                SELECT min(c), count(*)::bigint FROM
                  (SELECT \(credential)::text AS c FROM \(table) LIMIT 20000) s
                WHERE c LIKE '%SCRAM-SHA-256$%'
                GROUP BY split_part(c, ':', 1), length(c) LIMIT 1000
                """
        }
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
    /// - Returns: The user; `nil` if there is none. A text that is no credential, such as `!` or `disabled`, is
    ///   ``StoredCredential/unusable``, so that its user cannot be told from others who cannot log in.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func account(named name: String) async throws -> LoginAccount? {
        let rows = try await rows("account", table.selection, of: name)
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
        guard let row = try await rows("number", table.number, of: name).first else { return nil }
        switch row.first {
        case .null: return 0
        case .integer(let number): return number
        default: throw SharedStateError(.malformedAnswer)
        }
    }

    /// Returns the rows of a name; none for a name that the database cannot store.
    private func rows(_ statement: String, _ text: String, of name: String) async throws -> [[SQLValue]] {
        // No text of PostgreSQL contains NUL.
        guard !name.utf8.contains(0) else { return [] }
        do {
            return try await run(statement, text, [.text(name)])
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
        _ = try await run("replace", table.update, [.text(name), .text(newer.text), .text(credential.text)])
    }

    /// The kinds of the SCRAM-SHA-256 verifiers among 20,000 rows of the table, for mock verifiers that cannot be told from
    /// them.
    ///
    /// Throws as ``account(named:)``.
    public var mockKinds: [SCRAM.MockVerifiers.Kind] {
        get async throws {
            try await run("kinds", table.sample, []).compactMap { row in
                guard row.count == 2, case .text(let text) = row[0], case .integer(let count) = row[1] else {
                    throw SharedStateError(.malformedAnswer)
                }
                var kind = SCRAM.MockVerifiers.Kind.counted(in: [try StoredCredential(text)]).first
                kind?.count = Int(count)
                return kind
            }
        }
    }

    private func run(_ name: String, _ text: String, _ parameters: [SQLValue]) async throws -> [[SQLValue]] {
        try await EngineBudget.step(upTo: timeLimit) { limit in
            try await runner.run(SQLStatement(name, text), parameters: parameters, within: limit)
        }
    }
}
