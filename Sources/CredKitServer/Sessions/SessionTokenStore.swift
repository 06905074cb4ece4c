// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// Issues tokens for logged-in users: random, expiring, revocable.
///
/// ```swift
/// let sessions = try SessionTokenStore()
/// let token = sessions.issue(for: "alice", at: now)      // token?.text goes into a cookie
/// sessions.user(of: cookie, at: now)                     // "alice", or nil
/// sessions.revoke(cookie)
/// ```
///
/// The sessions are stored in the memory of this process, and users log in again after a restart. Only the SHA-256 of
/// each token is stored, so that an attacker who reads the memory or a copy of it cannot log in with any of them.
public final class SessionTokenStore: Sendable {
    /// The lifetimes and limits of sessions.
    public struct Configuration: Sendable, Hashable {
        /// The seconds until a session ends, even if it is used; from 1 second to 400 days. Default: 12 hours.
        public var lifetime = 43_200

        /// The seconds without a request after which a session ends; from 1 second to 400 days. Default: 1 hour.
        public var idleLifetime = 3600

        /// The maximum number of sessions of one user. Default: 16. One more ends the user's oldest session.
        public var perUserLimit = 16

        /// The maximum number of sessions in all. Default: 65,536. When it is reached, no user can log in until a
        /// session ends.
        public var limit = 65_536

        /// Creates a configuration with the default values.
        public init() {}
    }

    private let table: Lock<SessionTable>

    /// The lifetimes and limits of the sessions.
    public let configuration: Configuration

    /// Creates an empty table of sessions.
    ///
    /// - Parameter configuration: The lifetimes and limits of the sessions.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(configuration: Configuration = Configuration()) throws(LoginServerError) {
        let longest = 400 * 86_400
        try LoginServerError.check(
            "the lifetime of a session in seconds",
            configuration.lifetime,
            in: 1...longest
        )
        try LoginServerError.check(
            "the idle lifetime in seconds",
            configuration.idleLifetime,
            in: 1...longest
        )
        try LoginServerError.check(
            "the limit of sessions per user",
            configuration.perUserLimit,
            in: 1...1 << 16
        )
        try LoginServerError.check("the limit of sessions", configuration.limit, in: 1...1 << 24)
        self.configuration = configuration
        table = Lock(SessionTable(limits: configuration))
    }

    /// The number of sessions, including expired ones that are not removed yet.
    public var count: Int { table.withLock { $0.count } }

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - user: The user who logged in.
    ///   - now: Seconds since 1970-01-01 00:00:00 UTC.
    /// - Returns: The token of the session; `nil` if the limit of sessions is reached.
    public func issue(for user: String, at now: Int64) -> SessionToken? {
        let text = Base64.urlSafe.unpadded.encode(SecureRandom.bytes(count: 32))
        let key = HashedKey("session", text)
        let isNew = table.withLock { $0.insert(key, user: user, at: ClampedTime.clamp(now)) }
        return isNew ? SessionToken(text: text) : nil
    }

    /// Returns the user of a session, and records the use.
    ///
    /// - Parameters:
    ///   - token: The token that the client sent, which may be any text.
    ///   - now: Seconds since 1970-01-01 00:00:00 UTC.
    /// - Returns: The user; `nil` for a token that was never issued, was revoked, or has expired.
    public func user(of token: String, at now: Int64) -> String? {
        guard token.utf8.count == 43 else { return nil }
        // A lookup of the hash leaks no timing information about the stored tokens.
        let key = HashedKey("session", token)
        return table.withLock { $0.use(key, at: ClampedTime.clamp(now)) }
    }

    /// Ends a session.
    ///
    /// - Parameter token: The token of the session. Any other text has no effect.
    public func revoke(_ token: String) {
        guard token.utf8.count == 43 else { return }
        let key = HashedKey("session", token)
        table.withLock { $0.remove(key) }
    }

    /// Ends all sessions of a user, for example after a change of the password.
    ///
    /// - Parameter user: The user.
    public func revokeAll(of user: String) {
        table.withLock { $0.removeAll(of: user) }
    }
}
