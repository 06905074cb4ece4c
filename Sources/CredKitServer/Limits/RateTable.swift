// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The attempts of many keys, each stored as one point in time: when all of its attempts are available again.
///
/// This is the generic cell rate algorithm, which is equivalent to a token bucket. The rule stands also in
/// `RedisRateStore.charging` and `SQLSchema.rates`: change all three, which `RateCases` tests together.
struct RateTable: Sendable {
    private let keyLimit: Int
    /// In microseconds since the table was created.
    private var freeAt: [StoreKey: Int64] = [:]

    init(keyLimit: Int) {
        self.keyLimit = keyLimit
    }

    var count: Int { freeAt.count }

    /// Counts an attempt for all keys, or for none.
    mutating func charge(_ charges: [RateCharge], at now: Duration) -> RateLimitResult {
        let now = now.clamped.microseconds
        let wait = charges.map { self.wait($0, at: now) }.max() ?? 0
        guard wait <= 0 else { return .limited(retryAfter: .microseconds(wait)) }
        for charge in charges { record(charge, at: now) }
        return .allowed
    }

    /// Forgets the attempts of a key.
    mutating func reset(_ key: StoreKey) {
        freeAt[key] = nil
    }

    /// Returns the microseconds until a key may try again; not positive if it may try now.
    private func wait(_ charge: RateCharge, at now: Int64) -> Int64 {
        // A key that was counted under a longer limit waits no longer than this one allows.
        let busyUntil = min(freeAt[charge.key] ?? now, now + charge.limit.burst)
        return busyUntil + charge.limit.interval - charge.limit.burst - now
    }

    private mutating func record(_ charge: RateCharge, at now: Int64) {
        let (key, limit) = (charge.key, charge.limit)
        if freeAt[key] == nil && freeAt.count >= keyLimit { makeRoom(at: now) }
        let busyUntil = min(max(freeAt[key] ?? now, now), now + limit.burst - limit.interval)
        freeAt[key] = busyUntil + limit.interval
    }

    /// Removes keys whose attempts are all available again; if these are few, also the quarter of the table that
    /// reaches this state soonest. Keys under a short limit, such as addresses, are removed before those under a long
    /// one: an attacker who fills the table with many accounts from thousands of addresses can make attempts of addresses
    /// forgotten, but not those of a key that is near its limit.
    private mutating func makeRoom(at now: Int64) {
        freeAt = freeAt.filter { $0.value > now }
        guard freeAt.count > keyLimit - (keyLimit + 3) / 4 else { return }
        let sorted = freeAt.sorted { $0.value < $1.value }
        for entry in sorted.prefix((keyLimit + 3) / 4) { freeAt[entry.key] = nil }
    }
}
