// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The attempts of many keys, each as one point in time: the one at which all of them are granted anew.
///
/// This is the generic cell rate algorithm, a bucket of tokens without the bucket.
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

    /// The seconds until a key may try again, 0 if it may now.
    func wait(_ key: HashedKey, at now: Int64) -> Int {
        let now = now * 1_000_000
        // A clock that was set back makes nobody wait for longer than if all attempts had just been made.
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

    /// Forgets keys that are as good as new; and where those are few, the quarter that will be so soonest. Somebody who
    /// comes with many keys thus pushes out their own, and no key that is near its limit.
    private mutating func makeRoom(at now: Int64) {
        freeAt = freeAt.filter { $0.value > now }
        guard freeAt.count > keyLimit - (keyLimit + 3) / 4 else { return }
        let sorted = freeAt.sorted { $0.value < $1.value }
        for entry in sorted.prefix((keyLimit + 3) / 4) { freeAt[entry.key] = nil }
    }
}
