// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer

/// The users with their numbers and their keys of one-time codes.
protocol ServerUserTable: WritableAccounts, OneTimeCodeUsers {
    /// Whether passwords can be changed.
    var isWritable: Bool { get }

    /// The files that can be written.
    var files: AccountFiles { get }

    /// Returns the number of a user, for answers; `nil` if there is no such user any more.
    func identifier(ofUserNamed name: String) async throws -> Int?

    /// Stores the key of one-time codes of a user who has none, or removes it. The recovery codes of the former key are removed.
    /// Sessions go on.
    ///
    /// - Parameters:
    ///   - key: The key, of codes by time; `nil` to remove it.
    ///   - name: The name of the account.
    /// - Returns: Whether it was stored or removed: not if there is no such user, or another key already.
    /// - Throws: ``CommandFailure`` if the file cannot be written.
    func setOneTimeCode(_ key: OneTimeCodeKey?, ofAccountNamed name: String) async throws -> Bool
}

extension ServerUserTable {
    /// Replaces the recovery codes of a user.
    ///
    /// - Parameters:
    ///   - keys: What is stored of them.
    ///   - name: The name of the account.
    /// - Returns: Whether the user has one-time codes, and so can have these.
    /// - Throws: ``CommandFailure`` if the file cannot be written; errors of the table.
    func setRecoveryKeys(_ keys: [StoreKey], ofAccountNamed name: String) async throws -> Bool {
        let revision = try await account(named: name)?.revision
        return try await files.setRecoveryKeys(keys, with: revision, ofAccountNamed: name)
    }

    /// Returns how many recovery codes a user has.
    ///
    /// - Parameter name: The name of the account.
    /// - Returns: The number of codes that were not used.
    /// - Throws: ``CommandFailure`` if the file cannot be read; errors of the table.
    func recoveryKeyCount(ofAccountNamed name: String) async throws -> Int {
        let revision = try await account(named: name)?.revision
        return try await files.recoveryKeyCount(with: revision, ofAccountNamed: name)
    }
}
