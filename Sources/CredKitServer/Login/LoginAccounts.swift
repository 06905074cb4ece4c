// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The table of users that a ``LoginService`` reads. ``InMemoryAccounts`` is for tests and small servers.
///
/// Compare names as bytes, or normalize them before the login: two strings of Swift can be equal and have different
/// bytes, and each spelling of a name has its own attempts (see ``RateLimiter``).
public protocol LoginAccounts: Sendable {
    /// Finds a user.
    ///
    /// ``LoginService`` calls it again once it has created a session: one of a credential that has changed meanwhile ends at
    /// once. So first store a changed credential, and then call ``SessionTokenStore/revokeAll(of:)``; no session
    /// of the old one is left then.
    ///
    /// - Parameter name: The name that the client sent, which may be any text.
    /// - Returns: The user; `nil` if there is none. It should take the same time in both cases.
    /// - Throws: Any error. ``LoginService`` wraps it, and no user is logged in.
    func account(named name: String) async throws -> LoginAccount?

    /// Stores a credential in place of another one, for example the hash of the same password by a stronger policy.
    ///
    /// Do nothing if the account no longer has the credential that was verified: the password was changed in the meantime.
    /// In SQL this is `UPDATE … SET hash = $1 WHERE name = $2 AND hash = $3`.
    ///
    /// - Parameters:
    ///   - credential: The credential that was verified.
    ///   - newer: What to store in its place.
    ///   - name: The account's name in the table.
    /// - Throws: Any error. It is ignored, because the login has succeeded: report it yourself.
    func replace(
        _ credential: StoredCredential,
        with newer: StoredCredential,
        ofAccountNamed name: String
    ) async throws
}
