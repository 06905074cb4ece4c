// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension RedisScript {
    /// Marks a use. It is forgotten by no one but this replication history: the engine that a replica became, or that was
    /// restarted, accepts only what could not have been used before. The rule stands also in `SQLSchema.marking` and
    /// `ReplayTable`.
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
}
