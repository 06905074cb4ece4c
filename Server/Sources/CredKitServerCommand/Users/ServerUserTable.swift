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

    /// Stores the key of a user's one-time codes. Sessions go on.
    ///
    /// - Parameters:
    ///   - key: The key, of codes by time; `nil` to remove it, and the recovery codes as well.
    ///   - name: The name of the account.
    /// - Returns: Whether there is such a user.
    /// - Throws: ``CommandFailure`` if the file cannot be written.
    func setOneTimeCode(_ key: OneTimeCodeKey?, ofAccountNamed name: String) async throws -> Bool
}

extension ServerUserTable {
    /// Replaces the recovery codes of a user.
    ///
    /// - Parameters:
    ///   - keys: What is stored of them; none to remove them.
    ///   - name: The name of the account.
    /// - Throws: ``CommandFailure`` if the file cannot be written.
    func setRecoveryKeys(_ keys: [StoreKey], ofAccountNamed name: String) async throws {
        try await files.setRecoveryKeys(keys, ofAccountNamed: name)
    }

    /// Returns how many recovery codes a user has.
    ///
    /// - Parameter name: The name of the account.
    /// - Returns: The number of codes that were not used.
    /// - Throws: ``CommandFailure`` if the file cannot be read.
    func recoveryKeyCount(ofAccountNamed name: String) async throws -> Int {
        try await files.recoveryKeyCount(ofAccountNamed: name)
    }
}
