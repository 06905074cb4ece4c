// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Checks that a Redis server is suitable for a shared state. Check it before a server accepts the first login.
///
/// ```swift
/// let problems = await RedisStateCheck(client, configuration: configuration).problems()
/// guard problems.isEmpty else { … }                         // report each of them, and do not start
/// ```
///
/// It finds settings with which Redis removes what must be kept, a replica in place of the primary, replicas whose loss goes
/// unnoticed, missing rights, clocks that differ too much, and servers before 7.0.
public struct RedisStateCheck: Sendable {
    private let engine: RedisEngine

    /// Creates a check.
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

    /// Returns the command that gives a user the rights that the stores need, and no others, without a password.
    ///
    /// - Parameters:
    ///   - user: The user of Redis.
    ///   - configuration: What all servers agree on.
    /// - Returns: A line for redis-cli.
    public static func accessRule(for user: String, configuration: SharedStateConfiguration) -> String {
        "ACL SETUSER \(user) on resetkeys ~{\(configuration.namespace)}:* resetchannels -@all "
            + commands.map { "+\($0)" }.joined(separator: " ")
    }

    static let commands = [
        "eval", "evalsha", "ping", "info", "time", "get", "set", "del", "unlink", "exists", "pexpire", "pttl",
        "hget", "hset", "hmget", "hdel", "zadd", "zrem", "zcard", "zscore", "zrange", "zremrangebyscore",
    ]

    /// Finds what is wrong.
    ///
    /// - Parameter checksRights: Whether to use each script, so that a missing right is found; no login waits then, and a step may
    ///   take 5 seconds. Without it, the check takes one step of ``SharedStateConfiguration/timeLimit``, and is suitable for a
    ///   probe that comes all the time.
    /// - Returns: All problems; empty if the server is suitable.
    public func problems(checkingRights checksRights: Bool = true) async -> [SharedStateProblem] {
        var engine = engine
        if checksRights { engine.timeLimit = max(engine.timeLimit, .seconds(5)) }
        do {
            let reply = try await engine.run(Self.script, keys: ["\(engine.prefix)check"])
            guard reply.word == "info", let info = String(validating: try reply.bytes(0), as: UTF8.self)
            else {
                throw reply.isUnexpected
            }
            let problems = Self.problems(in: Self.fields(of: info))
            guard problems.isEmpty else { return problems }
            if checksRights { try await Self.useEachScript(of: engine) }
            return []
        } catch {
            return [SharedStateProblem(error)]
        }
    }

    static func fields(of info: String) -> [String: String] {
        var fields: [String: String] = [:]
        for line in info.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            if parts.count == 2 { fields[String(parts[0])] = String(parts[1]) }
        }
        return fields
    }

    static func problems(in info: [String: String]) -> [SharedStateProblem] {
        var problems: [SharedStateProblem] = []
        let version = info["redis_version"] ?? ""
        if (version.split(separator: ".").first.flatMap { Int($0) } ?? 0) < 7 {
            problems.append(
                .init(
                    "version",
                    "Redis has the version '\(version.prefix(20))'",
                    "install 7.0 or later"
                )
            )
        }
        if info["role"] != "master" {
            problems.append(.init("replica", "this Redis server is a replica", "connect to the primary"))
        }
        let policy = info["maxmemory_policy"] ?? ""
        if policy != "noeviction" {
            problems.append(
                .init(
                    "maxmemory-policy",
                    "Redis removes keys when its memory is full (maxmemory-policy \(policy.prefix(30)))",
                    "set maxmemory-policy noeviction, since a removed key is a proof that counts twice"
                )
            )
        }
        let hasReplicas = info["connected_slaves"].flatMap { Int($0) } ?? 0 > 0
        // Redis reports it only if both settings are positive.
        if hasReplicas, info["min_slaves_good_slaves"] == nil {
            problems.append(
                .init(
                    "min-replicas-to-write",
                    "Redis has replicas, and accepts logins without them",
                    "set min-replicas-to-write 1 and min-replicas-max-lag 10, so that two primaries cannot accept the same "
                        + "proof for longer"
                )
            )
        }
        return problems
    }

    /// Uses the scripts with keys that no server uses, so that a missing right is noticed now.
    private static func useEachScript(of engine: RedisEngine) async throws {
        let name = "check \(UInt64.random(in: 0 ... .max))"
        let key = StoreKey("check", name)
        var limits = SessionLimits()
        limits.lifetime = .seconds(1)
        limits.perUserLimit = 1
        let (challenges, sessions) = (RedisChallengeStore(engine), RedisSessionStore(engine))
        try await challenges.remember(name, of: key, lifetime: .seconds(1), perClientLimit: 1)
        _ = try await challenges.challenges(of: key)
        _ = try await challenges.consume(name, of: key)
        let rates = RedisRateStore(engine)
        _ = try await rates.charge([RateCharge(key, limit: RateLimit(unchecked: 1, per: .seconds(1)))])
        try await rates.reset(key)
        let completion = LoginCompletion(
            use: .init(key: key, account: key, lifetime: .seconds(1), challengeAge: .zero),
            attempts: key,
            session: .init(key: key, user: name, limits: limits)
        )
        _ = try await RedisCompletionStore(engine).complete(completion)
        // The second one ends the first.
        for key in [key, StoreKey("check", name, "2")] {
            _ = try await sessions.create(key, of: name, limits: limits)
        }
        _ = try await sessions.user(of: key)
        try await sessions.revokeOthers(of: name, retaining: StoreKey("check", name, "2"))
        _ = try await sessions.sessions(of: name)
        try await sessions.revoke(key)
        try await sessions.revokeAll(of: name)
    }

    /// Fails on a server that cannot write, as all other scripts do.
    static let script = RedisScript(
        "check",
        """
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', 0)
        return {now, 'info', redis.call('INFO')}
        """
    )
}
