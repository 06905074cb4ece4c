// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A table of users that can be changed: by users who change their passwords, and by operators. ``InMemoryAccounts`` and
/// ``PostgreSQLAccounts`` are two; run `WritableAccountsSuite` of the module CredKitTesting against your own.
///
/// Each operation is atomic, also beside other processes. Names are compared as UTF-8.
public protocol WritableAccounts: LoginAccounts {
    /// Stores a credential in place of another one, or creates an account. Of several calls with the same old credential at the same
    /// time, exactly one gets `true`.
    ///
    /// A table may hold texts that ``LoginAccounts/account(named:)`` returns as ``StoredCredential/unusable``, such as `*` or
    /// `!locked`. Only `!`, its ``StoredCredential/text``, is what an old credential that is unusable stands for: the others lock
    /// an account, and nothing replaces them.
    ///
    /// - Parameters:
    ///   - newer: What to store.
    ///   - old: The credential that the account must have; `nil` if there must be no account of the name.
    ///   - name: The account's name in the table.
    /// - Returns: Whether it is stored. `false` if the account has another credential by now, exists already, or does not exist, and
    ///   for a new name that the table cannot hold, such as one with NUL.
    /// - Throws: Any error. The credential may be stored nevertheless.
    func set(
        _ newer: StoredCredential,
        inPlaceOf old: StoredCredential?,
        ofAccountNamed name: String
    ) async throws -> Bool

    /// Removes an account. Then end its sessions with ``SessionTokenStore/revokeAll(of:)``, and remove its passkeys with
    /// ``LoginService/removeAllPasskeys(ofAccountNamed:)``: a later account of the name would have them.
    ///
    /// - Parameter name: The account's name in the table.
    /// - Returns: Whether there was one.
    /// - Throws: Any error.
    func remove(accountNamed name: String) async throws -> Bool

    /// Returns the names of all accounts, in the order of their bytes.
    ///
    /// - Returns: The names.
    /// - Throws: Any error.
    func accountNames() async throws -> [String]
}
