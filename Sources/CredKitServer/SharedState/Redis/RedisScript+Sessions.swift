// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension RedisScript {
    /// Creates a session. Its generation is the one that the user has now; a user whose sessions were never revoked has '0'.
    static let creating = """
        local function create(key, generations, list, user, lifetime, idle, limit, id)
          redis.call('DEL', key)
          redis.call('ZREM', list, key)
          if redis.call('ZCARD', list) >= limit then
            -- Those that have ended do not count.
            for _, other in ipairs(redis.call('ZRANGE', list, 0, -1)) do
              if redis.call('EXISTS', other) == 0 then redis.call('ZREM', list, other) end
            end
          end
          local excess = redis.call('ZCARD', list) - limit + 1
          if excess > 0 then
            for _, oldest in ipairs(redis.call('ZRANGE', list, 0, excess - 1)) do
              redis.call('DEL', oldest)
              redis.call('ZREM', list, oldest)
            end
          end
          local newest = redis.call('ZRANGE', list, -1, -1, 'WITHSCORES')
          local order = math.max(now, (tonumber(newest[2]) or 0) + 1)
          redis.call('ZADD', list, digits(order), key)
          redis.call('HSET', key, 'user', user, 'key', id, 'list', list, 'generations', generations,
            'generation', redis.call('GET', generations) or '0',
            'ends', digits(now + lifetime * 1000), 'idle', digits(idle * 1000), 'used', digits(now))
          redis.call('PEXPIRE', key, math.min(lifetime, idle))
          if redis.call('PTTL', list) < lifetime then redis.call('PEXPIRE', list, lifetime) end
        end
        """
}
