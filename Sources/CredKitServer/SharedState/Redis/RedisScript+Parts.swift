// Part of CredKit. SPDX-License-Identifier: Apache-2.0

// Parts of scripts. Times are microseconds since 1970 by the engine's clock, which a number of Lua holds exactly. Each script
// returns a list that begins with this time and a word.
extension RedisScript {
    /// Creates a script that begins with the time of the engine.
    ///
    /// Redis refuses a script with this first line as a whole if it has no memory left, is a replica, or has too few replicas:
    /// without the line, a script that first removes something is past these checks.
    init(_ name: String, allowsFullMemory: Bool = false, _ parts: String...) {
        let head = """
            #!lua\(allowsFullMemory ? " flags=allow-oom" : "")
            local time = redis.call('TIME')
            local now = time[1] * 1000000 + time[2]
            local function digits(number) return string.format('%.0f', number) end
            """
        self.init(name: name, text: ([head] + parts).joined(separator: "\n"))
    }

    /// Marks a use. It is forgotten by no one but this replication history: the engine that a replica became, or that was
    /// restarted, accepts only what could not have been used before.
    static let marking = """
        local function mark(keys, arguments)
          local key, account, epoch = keys[1], keys[2], keys[3]
          local retention, lifetime, age = tonumber(arguments[1]), tonumber(arguments[2]), tonumber(arguments[3])
          local limit, caller, tolerance = tonumber(arguments[4]), tonumber(arguments[5]), tonumber(arguments[6])
          -- A history that begins by a wrong clock would begin too early once the clock is right.
          if math.abs(now - caller) > tolerance then return 'clocks', 0 end
          local history = string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
          local stored = redis.call('HMGET', epoch, 'history', 'since')
          local since = tonumber(stored[2])
          if stored[1] ~= history or not since then
            since = math.max(now, caller)
            redis.call('HSET', epoch, 'history', history, 'since', digits(since))
          end
          if redis.call('EXISTS', key) == 1 then return 'replayed', since end
          if now - age <= since then return 'early', since end
          redis.call('ZREMRANGEBYSCORE', account, '-inf', digits(now))
          if redis.call('ZCARD', account) >= limit then return 'full', since end
          redis.call('SET', key, '', 'PX', retention)
          redis.call('ZADD', account, digits(now + lifetime * 1000), key)
          if redis.call('PTTL', account) < lifetime then redis.call('PEXPIRE', account, lifetime) end
          return 'accepted', since
        end
        """

    /// Creates a session. Its generation is the one that the user has now; a user whose sessions were never revoked has '0'.
    static let creating = """
        local function create(key, generations, list, user, lifetime, idle, limit)
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
          redis.call('HSET', key, 'user', user, 'list', list, 'generations', generations,
            'generation', redis.call('GET', generations) or '0',
            'ends', digits(now + lifetime * 1000), 'idle', digits(idle * 1000), 'used', digits(now))
          redis.call('PEXPIRE', key, math.min(lifetime, idle))
          if redis.call('PTTL', list) < lifetime then redis.call('PEXPIRE', list, lifetime) end
        end
        """
}
