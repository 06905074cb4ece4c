// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A user as the server's table knows them.
public struct LoginAccount: Sendable, Hashable {
    /// The name that the table has, and not the one that was typed: where `Alice` and `alice` are the same user, both
    /// must lead to one name here, or a proof of `alice` could be used again as one of `Alice`.
    public let name: String

    /// What is kept of the password.
    public let record: LoginRecord

    /// A user.
    ///
    /// - Parameters:
    ///   - name: The name in the table.
    ///   - record: What is kept of the password.
    public init(name: String, record: LoginRecord) {
        self.name = name
        self.record = record
    }
}
