// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A ``SessionStore`` in Redis, for any number of servers. It takes about 900 bytes a session.
///
/// A use is recorded only if the last record is older than an eighth of the idle lifetime, and than at most a minute, so an
/// idle session may end that much earlier. To end all sessions of a user, one key is replaced, so no list of sessions can be
/// incomplete. The names of the users are stored in plain text.
///
/// > Important: A failover can lose the last seconds: a new session must then log in again, and a session that was revoked then
/// > is valid again. Set `min-replicas-to-write`, and repeat a revocation that must hold.
public struct RedisSessionStore: SessionStore {
    private let engine: RedisEngine

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - runner: The client of the Redis server.
    ///   - configuration: What all servers agree on.
    public init(_ runner: some RedisScriptRunner, configuration: SharedStateConfiguration) {
        self.init(RedisEngine(runner, configuration))
    }

    init(_ engine: RedisEngine) {
        self.engine = engine
    }

    /// Creates a session. If the user has the maximum number of sessions, their oldest one ends.
    ///
    /// - Parameters:
    ///   - session: The key of the session.
    ///   - user: The user.
    ///   - limits: The lifetimes of the session, and the maximum number of sessions of the user.
    /// - Returns: `true`. A server without memory is an error.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func create(_ session: StoreKey, of user: String, limits: SessionLimits) async throws -> Bool {
        let session = LoginCompletion.Session(key: session, user: user, limits: limits)
        let reply = try await engine.run(
            Self.creating,
            keys: Self.keys(of: session, engine),
            Self.arguments(of: session)
        )
        guard reply.word == "created" else { throw reply.isUnexpected }
        return true
    }

    /// Returns the user of a session, and restarts its idle lifetime.
    ///
    /// - Parameter session: The key of the session.
    /// - Returns: The user; `nil` for a session that was never created or has ended.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func user(of session: StoreKey) async throws -> String? {
        let reply = try await engine.run(Self.using, keys: [engine.key(.session, session)])
        switch reply.word {
        case "none": return nil
        case "user":
            guard let user = String(validating: try reply.bytes(0), as: UTF8.self) else {
                throw reply.isUnexpected
            }
            return user
        default: throw reply.isUnexpected
        }
    }

    /// Ends a session.
    ///
    /// - Parameter session: The key of the session. Any other key has no effect.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func revoke(_ session: StoreKey) async throws {
        let reply = try await engine.run(Self.revoking, keys: [engine.key(.session, session)])
        guard reply.word == "revoked" else { throw reply.isUnexpected }
    }

    /// Ends all sessions of a user.
    ///
    /// - Parameter user: The user.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func revokeAll(of user: String) async throws {
        let reply = try await engine.run(Self.revokingAll, keys: Self.keys(of: user, engine))
        guard reply.word == "revoked" else { throw reply.isUnexpected }
    }

    /// Ends all sessions of a user except one.
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - session: The key of the session that stays.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func revokeOthers(of user: String, retaining session: StoreKey) async throws {
        let keys = Self.keys(of: user, engine) + [engine.key(.session, session)]
        let reply = try await engine.run(Self.revokingAll, keys: keys)
        guard reply.word == "revoked" else { throw reply.isUnexpected }
    }

    /// Returns the sessions of a user.
    ///
    /// - Parameter user: The user.
    /// - Returns: Those that have not ended, the newest first.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func sessions(of user: String) async throws -> [StoredSession] {
        let reply = try await engine.run(Self.listing, keys: Self.keys(of: user, engine))
        guard reply.word == "sessions", reply.values.count.isMultiple(of: 3) else {
            throw reply.isUnexpected
        }
        return try stride(from: 0, to: reply.values.count, by: 3).map { index in
            guard let key = StoreKey(bytes: try reply.bytes(index)) else { throw reply.isUnexpected }
            return StoredSession(
                key: key,
                age: .microseconds(try reply.integer(index + 1)),
                idle: .microseconds(try reply.integer(index + 2))
            )
        }
    }

    /// The generation of the user, and the list of the user's sessions.
    private static func keys(of user: String, _ engine: RedisEngine) -> [String] {
        let key = engine.key(.user, user: user)
        return ["\(key):generation", "\(key):sessions"]
    }

    static func keys(of session: LoginCompletion.Session, _ engine: RedisEngine) -> [String] {
        [engine.key(.session, session.key)] + keys(of: session.user, engine)
    }

    static func arguments(of session: LoginCompletion.Session) -> [[UInt8]] {
        [
            Array(session.user.utf8), Array(milliseconds: session.limits.lifetime),
            Array(milliseconds: session.limits.idleLifetime), Array(argument: session.limits.perUserLimit),
            session.key.bytes,
        ]
    }
}

extension RedisSessionStore {
    static let creating = RedisScript(
        "create",
        RedisScript.creating,
        """
        create(KEYS[1], KEYS[2], KEYS[3], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5])
        return {now, 'created'}
        """
    )

    /// Works without free memory: it replaces a number by another one.
    static let using = RedisScript(
        "use",
        allowsFullMemory: true,
        """
        local session = redis.call('HMGET', KEYS[1], 'user', 'generations', 'generation', 'ends', 'idle', 'used', 'list')
        if not session[1] then return {now, 'none'} end
        local ends, idle, used = tonumber(session[4]), tonumber(session[5]), tonumber(session[6])
        if (redis.call('GET', session[2]) or '0') ~= session[3] or now >= ends or now >= used + idle then
          redis.call('DEL', KEYS[1])
          redis.call('ZREM', session[7], KEYS[1])
          return {now, 'none'}
        end
        if now - used >= math.min(60000000, idle / 8) then
          redis.call('HSET', KEYS[1], 'used', digits(now))
          redis.call('PEXPIRE', KEYS[1], digits(math.ceil(math.min(ends - now, idle) / 1000)))
        end
        return {now, 'user', session[1]}
        """
    )

    static let revoking = RedisScript(
        "revoke",
        allowsFullMemory: true,
        """
        local list = redis.call('HGET', KEYS[1], 'list')
        if list then redis.call('ZREM', list, KEYS[1]) end
        redis.call('DEL', KEYS[1])
        return {now, 'revoked'}
        """
    )

    /// The list orders sessions by the time of their creation.
    static let listing = RedisScript(
        "list sessions",
        allowsFullMemory: true,
        """
        local answer = {now, 'sessions'}
        local generation = redis.call('GET', KEYS[1]) or '0'
        local list = redis.call('ZRANGE', KEYS[2], 0, -1, 'REV', 'WITHSCORES')
        for index = 1, #list, 2 do
          local session = redis.call('HMGET', list[index], 'generation', 'ends', 'idle', 'used', 'key')
          if session[1] == generation then
            local ends, idle, used = tonumber(session[2]), tonumber(session[3]), tonumber(session[4])
            if now < ends and now < used + idle then
              answer[#answer + 1] = session[5]
              answer[#answer + 1] = math.max(0, now - tonumber(list[index + 1]))
              answer[#answer + 1] = math.max(0, now - used)
            end
          end
        end
        return answer
        """
    )

    /// Ends all sessions, except for the one of the third key if it is one of the user. A generation is never used twice, even if it
    /// was forgotten: no session lives longer than 400 days.
    static let revokingAll = RedisScript(
        "revoke all",
        allowsFullMemory: true,
        """
        local last = redis.call('GET', KEYS[1]) or '0'
        local generation = digits(math.max(now, tonumber(last) + 1))
        local order, rest = false, 0
        if KEYS[3] and redis.call('HGET', KEYS[3], 'generation') == last then
          order, rest = redis.call('ZSCORE', KEYS[2], KEYS[3]), redis.call('PTTL', KEYS[2])
        end
        redis.call('SET', KEYS[1], generation, 'PX', '34646400000')
        redis.call('UNLINK', KEYS[2])
        if order then
          redis.call('HSET', KEYS[3], 'generation', generation)
          redis.call('ZADD', KEYS[2], order, KEYS[3])
          redis.call('PEXPIRE', KEYS[2], rest)
        end
        return {now, 'revoked'}
        """
    )
}
