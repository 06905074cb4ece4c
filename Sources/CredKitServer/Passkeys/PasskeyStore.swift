// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// The storage of passkeys, of the user handles of accounts, and of which accounts require a passkey.
///
/// ``InMemoryPasskeyStore`` is for tests, ``FilePasskeyStore`` for one server, ``PostgreSQLPasskeyStore`` for any number of them.
/// Run `PasskeyStoreSuite` of the module CredKitTesting against your own store.
///
/// What is stored must survive a restart. Each operation is atomic as a whole. Accounts are compared as UTF-8, and their names
/// may contain any character, including NUL.
public protocol PasskeyStore: Sendable {
    /// Returns the user handle of an account. If it has none, 32 random bytes are stored as its handle, which it keeps forever.
    ///
    /// - Parameter name: The name of the account.
    /// - Returns: The handle. All calls for an account get the same one, in all processes.
    /// - Throws: Any error that kept the store from answering.
    func userHandle(ofAccountNamed name: String) async throws -> [UInt8]

    /// Returns the account of a user handle.
    ///
    /// - Parameter handle: The handle, which may be any bytes.
    /// - Returns: The name of the account; `nil` if no account has the handle.
    /// - Throws: Any error that kept the store from answering.
    func account(ofUserHandle handle: [UInt8]) async throws -> String?

    /// Returns the passkeys of an account.
    ///
    /// - Parameter name: The name of the account.
    /// - Returns: The passkeys, in the order in which they were added.
    /// - Throws: Any error that kept the store from answering.
    func credentials(ofAccountNamed name: String) async throws -> [PasskeyCredential]

    /// Returns the passkey with an identifier, of whichever account.
    ///
    /// - Parameter id: The identifier, which may be any bytes.
    /// - Returns: The passkey; `nil` if there is none. It should take the same time in both cases.
    /// - Throws: Any error that kept the store from answering.
    func credential(id: [UInt8]) async throws -> PasskeyCredential?

    /// Adds a passkey, unless an account has one with its identifier, or its own account has as many as it may.
    ///
    /// - Parameters:
    ///   - credential: The passkey. The user handle in its record is the one of its account.
    ///   - limit: The maximum number of passkeys of the account.
    /// - Returns: What happened. If several calls add the same identifier at the same time, exactly one adds it; and if they add
    ///   different ones, the account never has more than the limit.
    /// - Throws: Any error that kept the store from answering.
    func add(_ credential: PasskeyCredential, limit: Int) async throws -> PasskeyAddition

    /// Stores what a login has shown, if the stored record is still the one that was verified.
    ///
    /// - Parameters:
    ///   - record: The new record, which differs from the old one in its counter and its flags only.
    ///   - old: The record that was verified.
    ///   - time: The time of the login. A stored time that is later stays.
    /// - Returns: Whether it was stored. `false` if the stored counter, a flag or the public key is another one by now, or if
    ///   there is no such passkey.
    /// - Throws: Any error that kept the store from answering.
    func recordUse(
        _ record: WebAuthn.CredentialRecord,
        replacing old: WebAuthn.CredentialRecord,
        at time: UnixTime
    ) async throws -> Bool

    /// Renames a passkey.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - account: The name of the account.
    ///   - name: The new name of the passkey.
    /// - Returns: Whether the account has the passkey.
    /// - Throws: Any error that kept the store from answering.
    func rename(_ id: [UInt8], ofAccountNamed account: String, to name: String) async throws -> Bool

    /// Removes a passkey, unless it is the last one and must stay.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - account: The name of the account.
    ///   - retainsLast: Whether the last passkey of the account stays. It also stays if the account requires a passkey.
    /// - Returns: What happened. If several calls remove different passkeys at the same time, one is left where one must stay.
    /// - Throws: Any error that kept the store from answering.
    func remove(
        _ id: [UInt8],
        ofAccountNamed account: String,
        retainingLast retainsLast: Bool
    ) async throws -> PasskeyRemoval

    /// Removes all passkeys of an account, which requires none from then on. Its user handle stays.
    ///
    /// - Parameter name: The name of the account.
    /// - Returns: The number of passkeys that were removed.
    /// - Throws: Any error that kept the store from answering.
    func removeAll(ofAccountNamed name: String) async throws -> Int

    /// Returns how many passkeys an account has, and whether it requires one.
    ///
    /// - Parameter name: The name of the account.
    /// - Returns: Both; 0 and `false` for an account that is not known here.
    /// - Throws: Any error that kept the store from answering.
    func state(ofAccountNamed name: String) async throws -> PasskeyAccountState

    /// Stores whether an account requires a passkey.
    ///
    /// - Parameters:
    ///   - isRequired: Whether it does.
    ///   - name: The name of the account.
    /// - Returns: Whether it was stored: `false` if an account without passkeys is to require one.
    /// - Throws: Any error that kept the store from answering.
    func setPasskeyRequired(_ isRequired: Bool, ofAccountNamed name: String) async throws -> Bool
}

/// What became of a passkey that was to be added to a ``PasskeyStore``.
public enum PasskeyAddition: Sendable, Hashable {
    /// The passkey is stored.
    case added
    /// Any account has a passkey with its identifier, or its user handle is not that of the account.
    case refused
    /// The account has as many passkeys as it may.
    case full
}

/// What became of the removal of a passkey from a ``PasskeyStore``.
public enum PasskeyRemoval: Sendable, Hashable {
    /// The passkey is removed.
    case removed
    /// The account has no such passkey.
    case unknown
    /// It is the last passkey of the account, and stays.
    case last
}

/// What the login of an account depends on in a ``PasskeyStore``.
public struct PasskeyAccountState: Sendable, Hashable {
    /// The number of passkeys of the account.
    public var passkeyCount: Int

    /// Whether no login without a passkey is accepted.
    public var isPasskeyRequired: Bool

    /// Creates a state.
    ///
    /// - Parameters:
    ///   - passkeyCount: The number of passkeys of the account.
    ///   - isPasskeyRequired: Whether no login without a passkey is accepted.
    public init(passkeyCount: Int = 0, isPasskeyRequired: Bool = false) {
        self.passkeyCount = passkeyCount
        self.isPasskeyRequired = isPasskeyRequired
    }
}
