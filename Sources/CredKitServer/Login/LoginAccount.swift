// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A user, as stored in the server's table.
public struct LoginAccount: Sendable, Hashable {
    /// The name in the table, not the one that was typed. Where `Alice` and `alice` are the same user, both must give
    /// one name here. Otherwise a proof of `alice` could be replayed as one of `Alice`.
    public let name: String

    /// The stored form of the password.
    public let record: LoginRecord

    /// Creates an account.
    ///
    /// - Parameters:
    ///   - name: The name in the table.
    ///   - record: The stored form of the password.
    public init(name: String, record: LoginRecord) {
        self.name = name
        self.record = record
    }
}
