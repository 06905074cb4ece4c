// Part of CredKit. SPDX-License-Identifier: Apache-2.0

// They need no other rights than the scripts of logins. Times are whole seconds, except for `now`.
extension RedisMechanismUseStore {
    /// Adds, and forgets some of the accounts that have not logged in for long. A time that has not come yet is taken for now,
    /// since no later login could replace it.
    static let adding = RedisScript(
        "add use",
        """
        local mechanism, logins, retention = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[4])
        local present = math.floor(now / 1000000)
        local function past(time) return digits(math.min(tonumber(time), present)) end
        redis.call('ZADD', KEYS[1], 'GT', past(ARGV[3]), mechanism)
        redis.call('HSET', KEYS[2], mechanism, digits((tonumber(redis.call('HGET', KEYS[2], mechanism)) or 0) + logins))
        for i = 5, #ARGV, 2 do redis.call('ZADD', KEYS[3], 'GT', past(ARGV[i + 1]), ARGV[i]) end
        local old = '(' .. digits(present - retention)
        for _, account in ipairs(redis.call('ZRANGE', KEYS[3], '-inf', old, 'BYSCORE', 'LIMIT', 0, 1000)) do
          redis.call('ZREM', KEYS[3], account)
        end
        redis.call('PEXPIRE', KEYS[3], digits(retention * 1000))
        return {now, 'added'}
        """
    )

    static let listing = RedisScript(
        "list mechanisms",
        allowsFullMemory: true,
        """
        local result = {now, 'mechanisms'}
        local found = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
        for i = 1, #found, 2 do
          result[#result + 1] = found[i]
          result[#result + 1] = tonumber(redis.call('HGET', KEYS[2], found[i])) or 0
          result[#result + 1] = tonumber(found[i + 1])
        end
        return result
        """
    )

    static let counting = RedisScript(
        "count accounts",
        allowsFullMemory: true,
        """
        local result = {now, 'accounts'}
        for i, key in ipairs(KEYS) do result[i + 2] = redis.call('ZCARD', key) end
        return result
        """
    )

    /// Returns a page, and the second that the next one begins with. A page ends with a whole second, however many accounts it
    /// has.
    static let reading = RedisScript(
        "read accounts",
        allowsFullMemory: true,
        """
        local limit, following = tonumber(ARGV[2]), -1
        local found = redis.call('ZRANGE', KEYS[1], ARGV[1], '+inf', 'BYSCORE', 'LIMIT', 0, limit, 'WITHSCORES')
        local last = found[#found]
        local ends = #found
        if #found == 2 * limit then
          if found[2] == last then
            found = redis.call('ZRANGE', KEYS[1], last, last, 'BYSCORE', 'WITHSCORES')
            ends, following = #found, tonumber(last) + 1
          else
            while found[ends] == last do ends = ends - 2 end
            following = tonumber(last)
          end
        end
        local result = {now, 'page', following}
        for i = 1, ends, 2 do result[#result + 1] = found[i] end
        return result
        """
    )
}
