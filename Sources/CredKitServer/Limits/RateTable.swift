// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The attempts of many keys, each stored as one point in time: when all of its attempts are available again.
///
/// This is the generic cell rate algorithm, which is equivalent to a token bucket.
struct RateTable: Sendable {
    let limit: RateLimit
    private let keyLimit: Int
    /// In microseconds since 1970.
    private var freeAt: [HashedKey: Int64] = [:]

    init(limit: RateLimit, keyLimit: Int) {
        self.limit = limit
        self.keyLimit = keyLimit
    }

    var count: Int { freeAt.count }

    /// Returns the seconds until a key may try again; 0 if it may try now.
    func wait(_ key: HashedKey, at now: Int64) -> Int {
        let now = now * 1_000_000
        // If the clock was set back, the wait is no longer than if all attempts had just been made.
        let busyUntil = min(freeAt[key] ?? now, now + limit.burst)
        let excess = busyUntil + limit.interval - limit.burst - now
        return excess > 0 ? Int((excess + 999_999) / 1_000_000) : 0
    }

    /// Counts an attempt.
    mutating func charge(_ key: HashedKey, at now: Int64) {
        let now = now * 1_000_000
        if freeAt[key] == nil && freeAt.count >= keyLimit { makeRoom(at: now) }
        let busyUntil = min(max(freeAt[key] ?? now, now), now + limit.burst - limit.interval)
        freeAt[key] = busyUntil + limit.interval
    }

    /// Forgets the attempts of a key.
    mutating func reset(_ key: HashedKey) {
        freeAt[key] = nil
    }

    /// Removes keys whose attempts are all available again; if these are few, also the quarter of the table that
    /// reaches this state soonest. An attacker with many keys thus removes only their own entries, and no key that is
    /// near its limit.
    private mutating func makeRoom(at now: Int64) {
        freeAt = freeAt.filter { $0.value > now }
        guard freeAt.count > keyLimit - (keyLimit + 3) / 4 else { return }
        let sorted = freeAt.sorted { $0.value < $1.value }
        for entry in sorted.prefix((keyLimit + 3) / 4) { freeAt[entry.key] = nil }
    }
}
