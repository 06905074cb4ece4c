// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitPostgreSQL
import CredKitServer

/// The users in a table of PostgreSQL, which is read at each login.
struct DatabaseUsers: ServerUserTable {
    private let accounts: PostgreSQLAccounts
    private let codes: ServerOneTimeCodes?
    private let replacementLog: ServerLog?

    /// Creates a view of a table.
    ///
    /// - Parameters:
    ///   - accounts: The table.
    ///   - codes: The keys of one-time codes.
    ///   - replacementLog: Gets why credentials cannot be replaced in the table; `nil` if they are to stay.
    init(_ accounts: PostgreSQLAccounts, codes: ServerOneTimeCodes?, replacementLog: ServerLog?) {
        self.accounts = accounts
        self.codes = codes
        self.replacementLog = replacementLog
    }

    func account(named name: String) async throws -> LoginAccount? { try await accounts.account(named: name) }

    func replace(
        _ credential: StoredCredential,
        with newer: StoredCredential,
        ofAccountNamed name: String
    ) async throws {
        guard let replacementLog else { return }
        do {
            try await accounts.replace(credential, with: newer, ofAccountNamed: name)
        } catch {
            // The login goes on, and the next one tries again.
            if !Task.isCancelled {
                // A trigger can quote what it refuses.
                let text = "\(error)"
                let reason = text.contains(newer.text) ? "the table does not take the new one" : text
                replacementLog.note(
                    .error,
                    "replacement",
                    "the credential of a user cannot be replaced in the table of users: \(reason)"
                )
            }
            throw error
        }
    }

    func oneTimeCode(ofAccountNamed name: String) async throws -> OneTimeCodeUser? {
        codes?.oneTimeCode(ofAccountNamed: name)
    }

    func identifier(ofUserNamed name: String) async throws -> Int? {
        try await accounts.identifier(named: name).map { Int($0) }
    }
}
