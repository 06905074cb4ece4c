// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A ``RateStore`` in Redis, for any number of servers. It takes about 150 bytes a key, until all attempts of the key are
/// available again.
///
/// Use it through a ``FallbackRateStore``, so that attempts are still counted while Redis does not answer.
public struct RedisRateStore: RateStore {
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

    /// Counts an attempt for all keys, or for none.
    ///
    /// - Parameter charges: The keys, each of them once, with their limits.
    /// - Returns: Whether the attempt is allowed.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func charge(_ charges: [RateCharge]) async throws -> RateLimitResult {
        guard !charges.isEmpty else { return .allowed }
        let reply = try await engine.run(
            Self.charging,
            keys: charges.map { engine.key(.rate, $0.key) },
            charges.flatMap { [Array(argument: $0.limit.interval), Array(argument: $0.limit.burst)] }
        )
        switch reply.word {
        case "allowed": return .allowed
        case "limited": return .limited(retryAfter: .microseconds(try reply.integer(0)).clamped)
        default: throw reply.isUnexpected
        }
    }

    /// Forgets the attempts of a key.
    ///
    /// - Parameter key: The key.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func reset(_ key: StoreKey) async throws {
        let reply = try await engine.run(Self.resetting, keys: [engine.key(.rate, key)])
        guard reply.word == "reset" else { throw reply.isUnexpected }
    }

    /// The generic cell rate algorithm: each key is the time from which all of its attempts are available again.
    ///
    /// The rule is also that of `RateTable` and of `SQLSchema.rates`. It is tested with `RateCases`, together with these.
    static let charging = RedisScript(
        "charge",
        """
        local wait, free = 0, {}
        for i, key in ipairs(KEYS) do
          local interval, burst = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
          local stored = tonumber(redis.call('GET', key) or now)
          wait = math.max(wait, math.min(stored, now + burst) + interval - burst - now)
          free[i] = math.min(math.max(stored, now), now + burst - interval) + interval
        end
        if wait > 0 then return {now, 'limited', wait} end
        for i, key in ipairs(KEYS) do
          redis.call('SET', key, digits(free[i]), 'PX', digits(math.ceil((free[i] - now) / 1000) + 1))
        end
        return {now, 'allowed'}
        """
    )

    static let resetting = RedisScript(
        "reset",
        allowsFullMemory: true,
        "redis.call('DEL', KEYS[1])\nreturn {now, 'reset'}"
    )
}
