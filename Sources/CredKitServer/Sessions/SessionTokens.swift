// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// Tokens for users who have logged in: random, expiring, revocable.
///
/// ```swift
/// let sessions = try SessionTokens()
/// let token = sessions.issue(for: "alice", at: now)      // token?.text goes into a cookie
/// sessions.user(of: cookie, at: now)                     // "alice", or nil
/// sessions.revoke(cookie)
/// ```
///
/// They are kept in this process, and lost with it: users then log in again. Of each token only the SHA-256 is kept, so
/// that whoever reads the memory or a copy of it can log in with none of them.
public final class SessionTokens: Sendable {
    /// For how long and how many.
    public struct Configuration: Sendable, Hashable {
        /// The seconds until a session ends, however much it is used; 12 hours, at least 1, at most 400 days.
        public var lifetime = 43_200

        /// The seconds without a request after which a session ends; 1 hour, at least 1, at most 400 days.
        public var idleLifetime = 3600

        /// The most sessions of one user; 16. With one more the user's oldest ends.
        public var perUserLimit = 16

        /// The most sessions in all; 65,536. With that many nobody can log in until one ends.
        public var limit = 65_536

        /// The values above.
        public init() {}
    }

    private let table: Lock<SessionTable>

    /// For how long and how many.
    public let configuration: Configuration

    /// An empty table of sessions.
    ///
    /// - Parameter configuration: For how long and how many.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(configuration: Configuration = Configuration()) throws(LoginServerError) {
        let longest = 400 * 86_400
        try LoginServerError.check("a session's lifetime in seconds", configuration.lifetime, in: 1...longest)
        try LoginServerError.check(
            "the idle lifetime in seconds",
            configuration.idleLifetime,
            in: 1...longest
        )
        try LoginServerError.check("the sessions of a user", configuration.perUserLimit, in: 1...1 << 16)
        try LoginServerError.check("the sessions in all", configuration.limit, in: 1...1 << 24)
        self.configuration = configuration
        table = Lock(SessionTable(limits: configuration))
    }

    /// How many sessions there are; some may have expired.
    public var count: Int { table.withLock { $0.count } }

    /// A new session.
    ///
    /// - Parameters:
    ///   - user: Who logged in.
    ///   - now: Seconds since 1970-01-01 00:00:00 UTC.
    /// - Returns: Its token; `nil` when there are as many sessions as there may be.
    public func issue(for user: String, at now: Int64) -> SessionToken? {
        let text = Base64.urlSafe.unpadded.encode(SecureRandom.bytes(count: 32))
        let key = HashedKey("session", text)
        let isNew = table.withLock { $0.insert(key, user: user, at: UnixTime.clamp(now)) }
        return isNew ? SessionToken(text: text) : nil
    }

    /// Who a token stands for. Asking counts as a use.
    ///
    /// - Parameters:
    ///   - token: What the client sent; anything.
    ///   - now: Seconds since 1970-01-01 00:00:00 UTC.
    /// - Returns: The user; `nil` for a token that was never issued, was revoked, or has expired.
    public func user(of token: String, at now: Int64) -> String? {
        guard token.utf8.count == 43 else { return nil }
        // Looking up a hash in a table tells nothing about the tokens that are in it.
        let key = HashedKey("session", token)
        return table.withLock { $0.use(key, at: UnixTime.clamp(now)) }
    }

    /// Ends a session.
    ///
    /// - Parameter token: Its token; any other text does nothing.
    public func revoke(_ token: String) {
        guard token.utf8.count == 43 else { return }
        let key = HashedKey("session", token)
        table.withLock { $0.remove(key) }
    }

    /// Ends all sessions of a user: after a change of the password, for instance.
    ///
    /// - Parameter user: The user.
    public func revokeAll(of user: String) {
        table.withLock { $0.removeAll(of: user) }
    }
}
