// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The used keys, until they expire. Times are durations since the table was created.
struct ReplayTable: Sendable {
    private let knowsEarlierUses: Bool
    private let perAccountLimit: Int
    private let limit: Int
    private var keys: Set<StoreKey> = []
    private var counts: [StoreKey: Int] = [:]
    /// The keys by the second in which they may be removed. The seconds cover a few minutes, so that a scan of all of
    /// them is fast.
    private var buckets: [Int64: [(key: StoreKey, account: StoreKey)]] = [:]
    private var lastPurge: Int64 = 0

    init(knowsEarlierUses: Bool, perAccountLimit: Int, limit: Int) {
        self.knowsEarlierUses = knowsEarlierUses
        self.perAccountLimit = perAccountLimit
        self.limit = limit
    }

    var count: Int { keys.count }
    var accountCount: Int { counts.count }
    var bucketCount: Int { buckets.count }

    /// Marks a key as used. The durations must be clamped. The rule stands also in `RedisScript.marking` and
    /// `SQLSchema.marking`.
    mutating func markUsed(
        _ key: StoreKey,
        account: StoreKey,
        lifetime: Duration,
        challengeAge: Duration,
        at now: Duration
    ) -> ReplayDecision {
        purge(at: now)
        guard lifetime > .zero, !keys.contains(key) else { return .replayed }
        guard knowsEarlierUses || challengeAge <= now else {
            return .unavailable(retryAfter: challengeAge - now)
        }
        let count = counts[account] ?? 0
        guard count < perAccountLimit else { return .unavailable(retryAfter: lifetime) }
        guard keys.count < limit else {
            return .unavailable(retryAfter: .seconds(buckets.keys.min() ?? 0) - now)
        }
        keys.insert(key)
        counts[account] = count + 1
        buckets[(now + lifetime).secondsRoundedUp, default: []].append((key, account))
        return .accepted
    }

    private mutating func purge(at now: Duration) {
        let second = now.components.seconds
        guard second > lastPurge else { return }
        lastPurge = second
        for expired in buckets.keys.filter({ $0 <= second }) {
            for entry in buckets.removeValue(forKey: expired) ?? [] {
                keys.remove(entry.key)
                let rest = (counts[entry.account] ?? 0) - 1
                counts[entry.account] = rest > 0 ? rest : nil
            }
        }
    }
}
