// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Issues tokens for logged-in users: random, expiring, revocable.
///
/// ```swift
/// let sessions = try SessionTokenStore(store: storage.sessions)
/// let token = try await sessions.issue(for: "alice")     // token?.text goes into a cookie
/// try await sessions.user(of: cookie)                    // "alice", or nil
/// try await sessions.revoke(cookie)
/// ```
///
/// Only the SHA-256 of each token is stored, so that an attacker who reads the store or a copy of it cannot log in with any of
/// them.
public struct SessionTokenStore: Sendable {
    static let tokenLength = 43

    let store: any SessionStore

    /// The lifetimes and limits of the sessions.
    public let limits: SessionLimits

    /// Creates a token store.
    ///
    /// - Parameters:
    ///   - limits: The lifetimes and limits of the sessions.
    ///   - store: The store of the sessions. An ``InMemorySessionStore`` is for one process.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(
        limits: SessionLimits = SessionLimits(),
        store: any SessionStore
    ) throws(LoginServerError) {
        try limits.check()
        self.limits = limits
        self.store = store
    }

    /// Creates a token store of its own, for a service that creates no sessions.
    init() {
        limits = SessionLimits()
        store = InMemorySessionStore(standardOn: ContinuousClock())
    }

    /// Creates a session. It does not check that the user's password is still the one of the login: a ``LoginService`` that issues
    /// the session does.
    ///
    /// - Parameter user: The user who logged in.
    /// - Returns: The token of the session; `nil` if the store is full. Answer 503 then.
    /// - Throws: ``LoginServerError/storeFailed`` if the store threw; ``LoginServerError/cancelled``.
    public func issue(for user: String) async throws(LoginServerError) -> SessionToken? {
        let token = SessionToken.random()
        let isCreated = try await withStore {
            try await $0.create(Self.key(of: token.text), of: user, limits: limits)
        }
        return isCreated ? token : nil
    }

    /// Returns what creates a session of a token.
    func creation(of token: SessionToken, for user: String) -> LoginCompletion.Session {
        .init(key: Self.key(of: token.text), user: user, limits: limits)
    }

    /// Returns the user of a session, and records the use.
    ///
    /// - Parameter token: The token that the client sent, which may be any text.
    /// - Returns: The user; `nil` for a token that was never issued, was revoked, or has expired.
    /// - Throws: ``LoginServerError/storeFailed`` if the store threw; ``LoginServerError/cancelled``.
    public func user(of token: String) async throws(LoginServerError) -> String? {
        guard token.utf8.count == Self.tokenLength else { return nil }
        // A lookup of the hash leaks no timing information about the stored tokens.
        return try await withStore { try await $0.user(of: Self.key(of: token)) }
    }

    /// Ends a session.
    ///
    /// - Parameter token: The token of the session. Any other text has no effect.
    /// - Throws: ``LoginServerError/storeFailed`` if the store threw; ``LoginServerError/cancelled``.
    public func revoke(_ token: String) async throws(LoginServerError) {
        guard token.utf8.count == Self.tokenLength else { return }
        try await withStore { try await $0.revoke(Self.key(of: token)) }
    }

    /// Ends all sessions of a user, for example after a change of the password: see ``LoginAccounts/account(named:)``.
    ///
    /// - Parameter user: The user.
    /// - Throws: ``LoginServerError/storeFailed`` if the store threw; ``LoginServerError/cancelled``.
    public func revokeAll(of user: String) async throws(LoginServerError) {
        try await withStore { try await $0.revokeAll(of: user) }
    }

    static func key(of token: String) -> StoreKey { StoreKey("session", token) }

    func withStore<Value>(
        _ operation: (any SessionStore) async throws -> Value
    ) async throws(LoginServerError) -> Value {
        try await LoginServerError.wrapping("the session store failed") { try await operation(store) }
    }
}
