// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A ``OneTimeCodeCounterStore`` in Redis, for any number of servers. The counters never expire.
///
/// > Important: A failover can lose the last counters, and a restart without an append-only file more of them: used codes of
/// > those accounts are valid again then. Keep counters in the database of the users where that matters. Codes by the time
/// > (TOTP) need no counter and are not affected.
public struct RedisCounterStore: OneTimeCodeCounterStore {
    private static let digitCount = 20

    private let engine: RedisEngine

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - runner: The client of the Redis server.
    ///   - configuration: What all servers agree on.
    public init(_ runner: some RedisScriptRunner, configuration: SharedStateConfiguration) {
        engine = RedisEngine(runner, configuration)
    }

    /// Returns the counter of the next code that an account may use.
    ///
    /// - Parameter account: The account.
    /// - Returns: The counter; `nil` if none was stored.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func counter(of account: String) async throws -> UInt64? {
        let reply = try await engine.run(Self.reading, keys: [engine.key(.counter, user: account)])
        switch reply.word {
        case "none": return nil
        case "counter":
            let digits = try reply.bytes(0)
            let areDigits = digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard areDigits, digits.count == Self.digitCount,
                let counter = UInt64(String(decoding: digits, as: UTF8.self))
            else { throw reply.isUnexpected }
            return counter
        default: throw reply.isUnexpected
        }
    }

    /// Stores a counter if it is greater than the stored one.
    ///
    /// - Parameters:
    ///   - counter: The counter.
    ///   - account: The account.
    /// - Returns: Whether it was stored.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func advance(to counter: UInt64, of account: String) async throws -> Bool {
        // Numbers of Lua are exact to 53 bits. Digits of one length are compared as text.
        let digits = "\(counter)"
        let padded = String(repeating: "0", count: Self.digitCount - digits.utf8.count) + digits
        let reply = try await engine.run(
            Self.advancing,
            keys: [engine.key(.counter, user: account)],
            [Array(padded.utf8)]
        )
        switch reply.word {
        case "advanced": return true
        case "kept": return false
        default: throw reply.isUnexpected
        }
    }

    static let reading = RedisScript(
        "counter",
        allowsFullMemory: true,
        """
        local counter = redis.call('GET', KEYS[1])
        if not counter then return {now, 'none'} end
        return {now, 'counter', counter}
        """
    )

    static let advancing = RedisScript(
        "advance",
        """
        local counter = redis.call('GET', KEYS[1])
        if counter and counter >= ARGV[1] then return {now, 'kept'} end
        redis.call('SET', KEYS[1], ARGV[1])
        return {now, 'advanced'}
        """
    )
}
