// Part of CredKit. SPDX-License-Identifier: Apache-2.0

// The sessions of a user, for a page on which the user ends them.
extension SessionTokenStore {
    /// Returns the sessions of a user. This is no use of them.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - token: The token of this request, which may be any text; `nil` if there is none.
    /// - Returns: The sessions that have not ended, the newest first.
    /// - Throws: ``LoginServerError/storeFailed`` if the store threw; ``LoginServerError/cancelled``.
    public func sessions(
        of user: String,
        current token: String?
    ) async throws(LoginServerError) -> [UserSession] {
        let current = token.flatMap { $0.utf8.count == Self.tokenLength ? Self.key(of: $0) : nil }
        return try await withStore { try await $0.sessions(of: user) }.map { session in
            UserSession(
                reference: Self.reference(of: session.key),
                age: session.age,
                idle: session.idle,
                isCurrent: session.key == current
            )
        }
    }

    /// Ends a session of a user.
    ///
    /// - Parameters:
    ///   - reference: The ``UserSession/reference`` of the session, which may be any text.
    ///   - user: The user. A session of another user stays.
    /// - Returns: Whether the user had such a session.
    /// - Throws: ``LoginServerError/storeFailed`` if the store threw; ``LoginServerError/cancelled``.
    public func revoke(
        reference: String,
        of user: String
    ) async throws(LoginServerError) -> Bool {
        let sessions = try await withStore { try await $0.sessions(of: user) }
        guard let session = sessions.first(where: { Self.reference(of: $0.key) == reference }) else {
            return false
        }
        try await withStore { try await $0.revoke(session.key) }
        return true
    }

    /// Ends all sessions of a user except one, in one step: each session that was created before has ended then. The lifetime of the
    /// one that stays is not prolonged.
    ///
    /// A session that a login with the old password creates afterwards ends by itself: see ``LoginAccounts/account(named:)``.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - token: The token of the session that stays. If it is not a session of the user, no session stays.
    /// - Throws: ``LoginServerError/storeFailed`` if the store threw; ``LoginServerError/cancelled``.
    public func revokeOthers(of user: String, retaining token: String) async throws(LoginServerError) {
        guard token.utf8.count == Self.tokenLength else { return try await revokeAll(of: user) }
        try await withStore { try await $0.revokeOthers(of: user, retaining: Self.key(of: token)) }
    }

    private static func reference(of session: StoreKey) -> String {
        String(StoreKey("session reference", session.hex).hex.prefix(16))
    }
}
