// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A ``ChallengeStore`` in Redis, for any number of servers. Only clients that do not return their challenge need one.
///
/// The number of challenges in all is limited by the memory of Redis alone: each of them takes about 200 bytes until it
/// expires.
public struct RedisChallengeStore: ChallengeStore {
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

    /// Remembers a challenge. A client at its limit loses its oldest one.
    ///
    /// - Parameters:
    ///   - challenge: The text of the challenge, which is different each time.
    ///   - client: The key of the client.
    ///   - lifetime: The time after which the challenge is expired and forgotten.
    ///   - perClientLimit: The maximum number of remembered challenges of this client, at least 1.
    /// - Throws: ``SharedStateError``, and what the client of the server throws.
    public func remember(
        _ challenge: String,
        of client: StoreKey,
        lifetime: Duration,
        perClientLimit: Int
    ) async throws {
        let reply = try await engine.run(
            Self.remembering,
            keys: keys(of: client),
            [Array(challenge.utf8), Array(milliseconds: lifetime), Array(argument: max(1, perClientLimit))]
        )
        guard reply.word == "remembered" else { throw reply.isUnexpected }
    }

    /// Returns the challenges of a client.
    ///
    /// - Parameter client: The key of the client.
    /// - Returns: The challenges that have neither expired nor been consumed, the oldest first.
    /// - Throws: ``SharedStateError``, and what the client of the server throws.
    public func challenges(of client: StoreKey) async throws -> [String] {
        let reply = try await engine.run(Self.listing, keys: keys(of: client))
        guard reply.word == "challenges" else { throw reply.isUnexpected }
        var challenges: [String] = []
        for index in reply.values.indices {
            guard let challenge = String(validating: try reply.bytes(index), as: UTF8.self) else {
                throw reply.isUnexpected
            }
            challenges.append(challenge)
        }
        return challenges
    }

    /// Removes a challenge.
    ///
    /// - Parameters:
    ///   - challenge: The text of the challenge.
    ///   - client: The key of the client that it was issued to.
    /// - Returns: Whether the challenge was remembered and has not expired.
    /// - Throws: ``SharedStateError``, and what the client of the server throws.
    public func consume(_ challenge: String, of client: StoreKey) async throws -> Bool {
        let reply = try await engine.run(Self.consuming, keys: keys(of: client), [Array(challenge.utf8)])
        switch reply.word {
        case "consumed": return true
        case "none": return false
        default: throw reply.isUnexpected
        }
    }

    /// The challenges in their order, and the times at which they expire.
    private func keys(of client: StoreKey) -> [String] {
        let key = engine.key(.challenge, client)
        return ["\(key):order", "\(key):expiry"]
    }
}

extension RedisChallengeStore {
    /// Removes what has expired, then the oldest.
    static let remembering = RedisScript(
        "remember",
        """
        local lifetime, limit = tonumber(ARGV[2]), tonumber(ARGV[3])
        local function remove(challenge)
          redis.call('ZREM', KEYS[1], challenge)
          redis.call('HDEL', KEYS[2], challenge)
        end
        remove(ARGV[1])
        for _, challenge in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
          if now >= (tonumber(redis.call('HGET', KEYS[2], challenge)) or 0) then remove(challenge) end
        end
        local excess = redis.call('ZCARD', KEYS[1]) - limit + 1
        if excess > 0 then
          for _, challenge in ipairs(redis.call('ZRANGE', KEYS[1], 0, excess - 1)) do remove(challenge) end
        end
        local newest = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')
        redis.call('ZADD', KEYS[1], digits(math.max(now, (tonumber(newest[2]) or 0) + 1)), ARGV[1])
        redis.call('HSET', KEYS[2], ARGV[1], digits(now + lifetime * 1000))
        for i = 1, 2 do
          if redis.call('PTTL', KEYS[i]) < lifetime then redis.call('PEXPIRE', KEYS[i], lifetime) end
        end
        return {now, 'remembered'}
        """
    )

    static let listing = RedisScript(
        "list",
        allowsFullMemory: true,
        """
        local result = {now, 'challenges'}
        for _, challenge in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
          if now < (tonumber(redis.call('HGET', KEYS[2], challenge)) or 0) then result[#result + 1] = challenge end
        end
        return result
        """
    )

    static let consuming = RedisScript(
        "consume",
        allowsFullMemory: true,
        """
        local expiry = tonumber(redis.call('HGET', KEYS[2], ARGV[1]))
        redis.call('ZREM', KEYS[1], ARGV[1])
        redis.call('HDEL', KEYS[2], ARGV[1])
        if expiry and now < expiry then return {now, 'consumed'} end
        return {now, 'none'}
        """
    )
}
