// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PostgreSQLAccounts: WritableAccounts {
    /// Stores a credential in place of another one, or inserts a row with a name and a credential.
    ///
    /// A row whose credential is `NULL`, or a text that is no credential, is one that is locked: no old credential is equal to it.
    ///
    /// - Parameters:
    ///   - newer: What to store.
    ///   - old: The credential that the row must have; `nil` if there must be no row of the name.
    ///   - name: The account's name.
    /// - Returns: Whether it is stored. `false` also for a name that the database cannot store, and for a new name that a further
    ///   unique index of the table takes for that of another user.
    /// - Throws: ``SharedStateError``, and what the client throws: for a new account also if the column of names has no unique
    ///   constraint or index of its own, if the table is a view that PostgreSQL cannot insert into, if a further column needs a value,
    ///   or if the table would store another name.
    public func set(
        _ newer: StoredCredential,
        inPlaceOf old: StoredCredential?,
        ofAccountNamed name: String
    ) async throws -> Bool {
        if let old {
            return try await hasChanged(\.change, name, [.text(newer.text), .text(old.text)])
        }
        do {
            return try await hasChanged(\.insertion, name, [.text(newer.text)])
        } catch let error as SharedStateError {
            switch error.sqlState {
            // Another index than that of the column, such as one that ignores case.
            case "23505": return false
            case "42P10", "0A000", "55000":
                throw SharedStateError(
                    .wrongContent,
                    message:
                        "cannot add an account to the table of users: the column of names needs a unique constraint or index of its "
                        + "own, and a view must be one that PostgreSQL can insert into",
                    underlying: error
                )
            case "22012":
                throw SharedStateError(
                    .wrongContent,
                    message:
                        "cannot add an account to the table of users: it would store the name in another form, for example without the "
                        + "spaces at its end",
                    underlying: error
                )
            default: throw error
            }
        }
    }

    /// Deletes the row of an account.
    ///
    /// - Parameter name: The account's name.
    /// - Returns: Whether there was one.
    /// - Throws: ``SharedStateError``, and what the client throws: also if other tables refer to the row.
    public func remove(accountNamed name: String) async throws -> Bool {
        try await hasChanged(\.removal, name, [])
    }

    /// Returns the names of all accounts, in the order of their bytes.
    ///
    /// - Returns: The names.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func accountNames() async throws -> [String] {
        // All rows, for an operator: no login waits for them.
        let rows = try await run(\.names, [], upTo: .seconds(30))
        let names = try rows.map { row in
            guard row.count == 1, case .text(let name) = row[0] else {
                throw SharedStateError(.malformedAnswer)
            }
            return name
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// Runs a statement that returns a row for each row that it changes; none for a name that the database cannot store.
    private func hasChanged(
        _ statement: @Sendable (Statements) -> SQLStatement,
        _ name: String,
        _ parameters: [SQLValue]
    ) async throws -> Bool {
        // No text of PostgreSQL contains NUL.
        guard !name.utf8.contains(0) else { return false }
        do {
            return try await !run(statement, [.text(name)] + parameters).isEmpty
        } catch let error as SharedStateError where ["22P05", "22021"].contains(error.sqlState) {
            return false
        }
    }
}
