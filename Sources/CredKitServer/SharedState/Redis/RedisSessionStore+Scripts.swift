// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension RedisSessionStore {
    static let creating = RedisScript(
        "create",
        RedisScript.creating,
        """
        create(KEYS[1], KEYS[2], KEYS[3], ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]))
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

    /// A generation is never used twice, even if it was forgotten: no session lives longer than 400 days.
    static let revokingAll = RedisScript(
        "revoke all",
        allowsFullMemory: true,
        """
        local last = tonumber(redis.call('GET', KEYS[1]) or 0)
        redis.call('SET', KEYS[1], digits(math.max(now, last + 1)), 'PX', '34646400000')
        redis.call('UNLINK', KEYS[2])
        return {now, 'revoked'}
        """
    )
}
