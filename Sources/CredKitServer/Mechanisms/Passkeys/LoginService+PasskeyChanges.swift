// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

// The passkeys of a user who is logged in, and what an administrator can do about them.
extension LoginService {
    /// Returns the passkeys of an account, for a user with a session.
    ///
    /// - Parameter name: The name of the account in the table.
    /// - Returns: The passkeys, in the order in which they were added; none if the service has no ``PasskeyMechanism``.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/cancelled``.
    public func passkeys(ofAccountNamed name: String) async throws(LoginServerError) -> [PasskeyCredential] {
        guard let passkeys = mechanisms.passkeys?.mechanism else { return [] }
        return try await passkeys.store.call { try await $0.credentials(ofAccountNamed: name) }
    }

    /// Returns how many passkeys an account has, and whether it requires one.
    ///
    /// - Parameter name: The name of the account in the table.
    /// - Returns: Both; 0 and `false` if the service has no ``PasskeyMechanism``.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/cancelled``.
    public func passkeyState(
        ofAccountNamed name: String
    ) async throws(LoginServerError) -> PasskeyAccountState {
        guard let passkeys = mechanisms.passkeys?.mechanism else { return PasskeyAccountState() }
        return try await passkeys.store.call { try await $0.state(ofAccountNamed: name) }
    }

    /// Renames a passkey, for a user with a session.
    ///
    /// - Parameters:
    ///   - id: The identifier of the passkey.
    ///   - account: The name of the account in the table.
    ///   - name: The new name of the passkey. It may be any text: see ``PasskeyCredential/name(from:)``.
    /// - Returns: The decision.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/cancelled``.
    public func renamePasskey(
        _ id: [UInt8],
        ofAccountNamed account: String,
        to name: String
    ) async throws(LoginServerError) -> PasskeyChange {
        guard let passkeys = mechanisms.passkeys?.mechanism else { return .unknownMechanism }
        let isRenamed = try await passkeys.store.call {
            try await $0.rename(id, ofAccountNamed: account, to: PasskeyCredential.name(from: name))
        }
        return isRenamed ? .done : .unknownPasskey
    }

    /// Removes a passkey, and ends all sessions of the user, also the one of this request. The last way to log in stays.
    ///
    /// If it throws, the passkey may be removed and the sessions may still be there: end them with
    /// ``SessionTokenStore/revokeAll(of:)`` of ``sessions``.
    ///
    /// - Parameters:
    ///   - id: The identifier of the passkey.
    ///   - permission: What permits it: a recent login.
    ///   - now: The current time.
    /// - Returns: The decision.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/lookupFailed``, ``LoginServerError/outOfMemory``,
    ///   ``LoginServerError/cancelled``: answer 503.
    public func removePasskey(
        _ id: [UInt8],
        with permission: PasskeyPermission,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> PasskeyChange {
        guard let passkeys = mechanisms.passkeys?.mechanism else { return .unknownMechanism }
        guard let account = try await recentAccount(permission, passkeys, at: now) else {
            return .notPermitted
        }
        let found = try await passkeys.store.call { try await $0.credential(id: id) }
        // A credential of a mechanism of the server's own is taken for a way to log in.
        let hasOtherWay = account.credential != .unusable || !account.mechanismCredentials.isEmpty
        let removal = try await passkeys.store.call {
            try await $0.remove(id, ofAccountNamed: account.name, retainingLast: !hasOtherWay)
        }
        switch removal {
        case .last: return .lastWayIn
        case .unknown: return .unknownPasskey
        case .removed:
            passkeys.report(.removed, found)
            // After the removal: a login that finds the passkey removed ends its session itself.
            try await sessions.revokeAll(of: account.name)
            return .done
        }
    }

    /// Stores whether an account requires a passkey: its password and codes are then refused without one.
    ///
    /// - Parameters:
    ///   - isRequired: Whether it does.
    ///   - permission: What permits it: a recent login.
    ///   - now: The current time.
    /// - Returns: The decision: ``PasskeyChange/unknownPasskey`` if the account has no passkey to require.
    /// - Throws: As for ``removePasskey(_:with:at:)``.
    public func setPasskeyRequired(
        _ isRequired: Bool,
        with permission: PasskeyPermission,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> PasskeyChange {
        guard let passkeys = mechanisms.passkeys?.mechanism else { return .unknownMechanism }
        guard let account = try await recentAccount(permission, passkeys, at: now) else {
            return .notPermitted
        }
        let isStored = try await passkeys.store.call {
            try await $0.setPasskeyRequired(isRequired, ofAccountNamed: account.name)
        }
        guard isStored else { return .unknownPasskey }
        passkeys.configuration.onEvent(
            PasskeyEvent(isRequired ? .required : .notRequired, account: account.name)
        )
        return .done
    }

    /// Removes all passkeys of an account, which requires none from then on, and ends all of its sessions: for an administrator,
    /// whose user has lost the devices. A user without a password can then log in by a new link only.
    ///
    /// - Parameter name: The name of the account in the table.
    /// - Returns: The number of passkeys that were removed.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/cancelled``.
    public func removeAllPasskeys(ofAccountNamed name: String) async throws(LoginServerError) -> Int {
        guard let passkeys = mechanisms.passkeys?.mechanism else { return 0 }
        // Also before the removal: an enrolment that finds its session ended removes its passkey itself.
        try await sessions.revokeAll(of: name)
        let count = try await passkeys.store.call { try await $0.removeAll(ofAccountNamed: name) }
        if count > 0 { passkeys.configuration.onEvent(PasskeyEvent(.removed, account: name)) }
        try await sessions.revokeAll(of: name)
        return count
    }

    /// Returns the account of a recent login; `nil` for anything else.
    private func recentAccount(
        _ permission: PasskeyPermission,
        _ passkeys: PasskeyMechanism,
        at now: UnixTime
    ) async throws(LoginServerError) -> LoginAccount? {
        guard case .recentLogin = permission else { return nil }
        return try await account(of: permission, passkeys, at: now)?.account
    }
}
