// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A user, as stored in the server's table.
public struct LoginAccount: Sendable, Hashable {
    /// The name in the table, not the one that was typed. Where `Alice` and `alice` are the same user, both must give
    /// one name here. Otherwise a proof of `alice` could be replayed as one of `Alice`.
    public let name: String

    /// The stored form of the password.
    public let credential: StoredCredential

    /// What is stored for mechanisms of your own, by the name of the mechanism.
    public let mechanismCredentials: [String: MechanismCredential]

    /// Stands for what else a login depends on, such as a key of one-time codes: a key that differs whenever that differs.
    public let revision: StoreKey?

    /// Creates an account.
    ///
    /// - Parameters:
    ///   - name: The name in the table.
    ///   - credential: The stored form of the password; ``StoredCredential/unusable`` if there is none.
    ///   - mechanismCredentials: What is stored for mechanisms of your own, by the name of the mechanism.
    ///   - revision: Stands for what else a login depends on: a login that began before it changed creates no session.
    public init(
        name: String,
        credential: StoredCredential,
        mechanismCredentials: [String: MechanismCredential] = [:],
        revision: StoreKey? = nil
    ) {
        self.name = name
        self.credential = credential
        self.mechanismCredentials = mechanismCredentials
        self.revision = revision
    }
}
