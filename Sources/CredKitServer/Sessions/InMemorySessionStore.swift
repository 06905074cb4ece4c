// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// A ``SessionStore`` for one process. Users log in again after a restart.
public final class InMemorySessionStore: SessionStore {
    private let table: Lock<SessionTable>
    private let clock: StoreClock

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of sessions in all, at least 1. Default: 65,536. When it is reached, no other user
    ///     can log in until a session ends.
    ///   - clock: The clock that measures the lifetimes. Tests can pass a clock of their own.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(
        limit: Int = 65_536,
        clock: some Clock<Duration> = ContinuousClock()
    ) throws(LoginServerError) {
        try LoginServerError.check("the limit of sessions", limit, in: 1...1 << 24)
        table = Lock(SessionTable(limit: limit))
        self.clock = StoreClock(clock)
    }

    /// Creates a store with the default values.
    init(standardOn clock: some Clock<Duration>) {
        table = Lock(SessionTable(limit: 65_536))
        self.clock = StoreClock(clock)
    }

    /// The number of sessions, including expired ones that are not removed yet.
    public var count: Int { table.withLock { $0.count } }

    /// Creates a session. If the user has the maximum number of sessions, their oldest one ends.
    ///
    /// - Parameters:
    ///   - session: The key of the session.
    ///   - user: The user.
    ///   - limits: The lifetimes of the session, and the maximum number of sessions of the user.
    /// - Returns: `false` if the store is full.
    public func create(_ session: StoreKey, of user: String, limits: SessionLimits) -> Bool {
        table.withLock { $0.create(session, of: user, limits: limits, at: clock.elapsed) }
    }

    /// Returns the user of a session, and restarts its idle lifetime.
    ///
    /// - Parameter session: The key of the session.
    /// - Returns: The user; `nil` for a session that was never created or has ended.
    public func user(of session: StoreKey) -> String? {
        table.withLock { $0.use(session, at: clock.elapsed) }
    }

    /// Ends a session.
    ///
    /// - Parameter session: The key of the session. Any other key has no effect.
    public func revoke(_ session: StoreKey) {
        table.withLock { $0.remove(session) }
    }

    /// Ends all sessions of a user.
    ///
    /// - Parameter user: The user.
    public func revokeAll(of user: String) {
        table.withLock { $0.removeAll(of: user) }
    }

    /// Ends all sessions of a user except one.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - session: The key of the session that stays.
    public func revokeOthers(of user: String, retaining session: StoreKey) {
        table.withLock { $0.removeOthers(of: user, retaining: session) }
    }

    /// Returns the sessions of a user.
    ///
    /// - Parameter user: The user.
    /// - Returns: Those that have not ended, the newest first.
    public func sessions(of user: String) -> [StoredSession] {
        table.withLock { $0.sessions(of: user, at: clock.elapsed) }
    }
}
