// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitPostgreSQL
import CredKitServer

/// The users in a table of PostgreSQL, which is read at each login.
struct DatabaseUsers: ServerUserTable {
    private let accounts: PostgreSQLAccounts
    private let codes: ServerOneTimeCodes?
    private let keepsReplacements: Bool

    /// Creates a view of a table.
    ///
    /// - Parameters:
    ///   - accounts: The table.
    ///   - codes: The keys of one-time codes.
    ///   - keepsReplacements: Whether credentials are replaced in the table.
    init(_ accounts: PostgreSQLAccounts, codes: ServerOneTimeCodes?, keepsReplacements: Bool) {
        self.accounts = accounts
        self.codes = codes
        self.keepsReplacements = keepsReplacements
    }

    func account(named name: String) async throws -> LoginAccount? { try await accounts.account(named: name) }

    func replace(
        _ credential: StoredCredential,
        with newer: StoredCredential,
        ofAccountNamed name: String
    ) async throws {
        guard keepsReplacements else { return }
        try await accounts.replace(credential, with: newer, ofAccountNamed: name)
    }

    func oneTimeCode(ofAccountNamed name: String) async throws -> OneTimeCodeUser? {
        codes?.oneTimeCode(ofAccountNamed: name)
    }

    func identifier(ofUserNamed name: String) async throws -> Int? {
        try await accounts.identifier(named: name).map { Int($0) }
    }
}
