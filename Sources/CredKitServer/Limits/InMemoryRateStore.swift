// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// A ``RateStore`` for one process. It takes about 40 bytes a key, and never stores more keys than its limit.
///
/// When the table is full, the keys nearest to being unlimited are removed first.
public final class InMemoryRateStore: RateStore {
    /// It has the rule, which is also that of `RedisRateStore.charging` and of `SQLSchema.rates`. It is tested with `RateCases`,
    /// together with these.
    private let table: Lock<RateTable>
    private let clock: StoreClock

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - keyLimit: The maximum number of keys, at least 4. Default: 131,072, in about 5 MB.
    ///   - clock: The clock of the attempts. Tests can pass a clock of their own.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(
        keyLimit: Int = 131_072,
        clock: some Clock<Duration> = ContinuousClock()
    ) throws(LoginServerError) {
        try LoginServerError.check("the number of keys", keyLimit, in: 4...1 << 24)
        table = Lock(RateTable(keyLimit: keyLimit))
        self.clock = StoreClock(clock)
    }

    /// Creates a store with the default values.
    init(standardOn clock: some Clock<Duration>) {
        table = Lock(RateTable(keyLimit: 131_072))
        self.clock = StoreClock(clock)
    }

    /// The number of keys that are remembered.
    public var count: Int { table.withLock { $0.count } }

    /// Counts an attempt for all keys, or for none.
    ///
    /// - Parameter charges: The keys with their limits.
    /// - Returns: Whether the attempt is allowed.
    public func charge(_ charges: [RateCharge]) -> RateLimitResult {
        table.withLock { $0.charge(charges, at: clock.elapsed) }
    }

    /// Forgets the attempts of a key.
    ///
    /// - Parameter key: The key.
    public func reset(_ key: StoreKey) {
        table.withLock { $0.reset(key) }
    }
}
