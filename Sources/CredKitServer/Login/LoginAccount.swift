// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A user, as stored in the server's table.
public struct LoginAccount: Sendable, Hashable {
    /// The name in the table, not the one that was typed. Where `Alice` and `alice` are the same user, both must give
    /// one name here. Otherwise a proof of `alice` could be replayed as one of `Alice`.
    public let name: String

    /// The stored form of the password.
    public let credential: StoredCredential

    /// Creates an account.
    ///
    /// - Parameters:
    ///   - name: The name in the table.
    ///   - credential: The stored form of the password.
    public init(name: String, credential: StoredCredential) {
        self.name = name
        self.credential = credential
    }
}
