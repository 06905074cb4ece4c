// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The storage in which a ``SessionTokenStore`` keeps its sessions.
///
/// ``InMemorySessionStore`` is for one process. Several processes that serve the same users can share a store: one
/// script of a key-value server, or one statement of a database. Run `SessionStoreSuite` of the module CredKitTesting
/// against your own store.
///
/// Each operation is atomic as a whole. Durations are measured on the clock of the store. A store never sees a token,
/// only its key. Users are compared as UTF-8, and their names may contain any character, including NUL.
///
/// To end all sessions of a user in one step, a store keeps a number for each user, the generation, and in each session
/// the generation in which it was created. A session of an earlier generation has ended.
public protocol SessionStore: Sendable {
    /// Creates a session. If the user has the maximum number of sessions, their oldest one ends.
    ///
    /// - Parameters:
    ///   - session: The key of the session, which is different each time.
    ///   - user: The user.
    ///   - limits: The lifetimes of the session, and the maximum number of sessions of the user.
    /// - Returns: `false` if the store is full.
    /// - Throws: Any error that kept the store from answering. ``SessionTokenStore`` wraps it.
    func create(_ session: StoreKey, of user: String, limits: SessionLimits) async throws -> Bool

    /// Returns the user of a session, and restarts its idle lifetime.
    ///
    /// - Parameter session: The key of the session.
    /// - Returns: The user; `nil` for a session that was never created or has ended.
    /// - Throws: Any error that kept the store from answering.
    func user(of session: StoreKey) async throws -> String?

    /// Ends a session.
    ///
    /// - Parameter session: The key of the session. Any other key has no effect.
    /// - Throws: Any error that kept the store from answering.
    func revoke(_ session: StoreKey) async throws

    /// Ends all sessions of a user, by a new generation. The effort does not depend on the number of sessions.
    ///
    /// - Parameter user: The user.
    /// - Throws: Any error that kept the store from answering.
    func revokeAll(of user: String) async throws

    /// Ends all sessions of a user except one, by a new generation, into which that one is moved.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - session: The key of the session that stays, with the lifetimes that it has. If it is not one of the user, or has ended,
    ///     no session stays.
    /// - Throws: Any error that kept the store from answering.
    func revokeOthers(of user: String, retaining session: StoreKey) async throws

    /// Returns the sessions of a user. This is no use of them.
    ///
    /// - Parameter user: The user.
    /// - Returns: Those that have not ended, the newest first; at most the maximum number of sessions of the user.
    /// - Throws: Any error that kept the store from answering.
    func sessions(of user: String) async throws -> [StoredSession]
}
