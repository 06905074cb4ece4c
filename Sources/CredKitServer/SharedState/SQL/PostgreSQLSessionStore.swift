// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A ``SessionStore`` in PostgreSQL, for any number of servers.
///
/// A use is recorded only if the last record is older than an eighth of the idle lifetime, and than at most a minute, so an
/// idle session may end that much earlier. The names of the users are stored in plain text.
///
/// > Important: A failover to an asynchronous standby can lose the last changes: a session that was revoked then is valid again.
/// > Set `synchronous_standby_names`, or repeat a revocation that must hold.
public struct PostgreSQLSessionStore: SessionStore {
    private let engine: SQLEngine

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - runner: The client of the PostgreSQL server.
    ///   - configuration: What all servers agree on.
    public init(_ runner: some SQLStatementRunner, configuration: SharedStateConfiguration) {
        self.init(SQLEngine(runner, configuration))
    }

    init(_ engine: SQLEngine) {
        self.engine = engine
    }

    /// Creates a session. If the user has the maximum number of sessions, their oldest one ends.
    ///
    /// - Parameters:
    ///   - session: The key of the session.
    ///   - user: The user.
    ///   - limits: The lifetimes of the session, and the maximum number of sessions of the user.
    /// - Returns: `true`. A server without space is an error.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func create(_ session: StoreKey, of user: String, limits: SessionLimits) async throws -> Bool {
        let session = LoginCompletion.Session(key: session, user: user, limits: limits)
        try await engine.call(.createSession, Self.parameters(of: session, engine))
        return true
    }

    /// Returns the user of a session, and restarts its idle lifetime.
    ///
    /// - Parameter session: The key of the session.
    /// - Returns: The user; `nil` for a session that was never created or has ended.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func user(of session: StoreKey) async throws -> String? {
        let reply = try await engine.call(.userOf, returning: 1, [engine.name(.session, session)])
        switch try reply.row()[0] {
        case .null: return nil
        case .bytes(let bytes):
            guard let user = String(validating: bytes, as: UTF8.self) else {
                throw SharedStateError(.malformedAnswer)
            }
            return user
        default: throw SharedStateError(.malformedAnswer)
        }
    }

    /// Ends a session.
    ///
    /// - Parameter session: The key of the session. Any other key has no effect.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func revoke(_ session: StoreKey) async throws {
        try await engine.call(.revoke, [engine.name(.session, session)])
    }

    /// Ends all sessions of a user.
    ///
    /// - Parameter user: The user.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func revokeAll(of user: String) async throws {
        try await engine.call(.revokeAll, [engine.name(.user, user: user)])
    }

    /// Ends all sessions of a user except one.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - session: The key of the session that stays.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func revokeOthers(of user: String, retaining session: StoreKey) async throws {
        try await engine.call(
            .revokeOthers,
            [engine.name(.user, user: user), engine.name(.session, session)]
        )
    }

    /// Returns the sessions of a user.
    ///
    /// - Parameter user: The user.
    /// - Returns: Those that have not ended, the newest first.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func sessions(of user: String) async throws -> [StoredSession] {
        let reply = try await engine.call(.sessionsOf, returning: 3, [engine.name(.user, user: user)])
        if reply.rows.count == 1, reply.rows[0].first == .null { return [] }
        return try reply.rows.map { columns in
            let row = Array(columns)
            guard case .bytes(let bytes) = row[0], let key = StoreKey(bytes: bytes),
                case .integer(let age) = row[1], case .integer(let idle) = row[2]
            else { throw SharedStateError(.malformedAnswer) }
            return StoredSession(key: key, age: .microseconds(age), idle: .microseconds(idle))
        }
    }

    static func parameters(of session: LoginCompletion.Session, _ engine: SQLEngine) -> [SQLValue] {
        [
            engine.name(.session, session.key), engine.name(.user, user: session.user),
            .bytes(of: session.user),
            .microseconds(session.limits.lifetime), .microseconds(session.limits.idleLifetime),
            .integer(Int64(max(1, session.limits.perUserLimit))), .bytes(session.key.bytes),
        ]
    }
}
