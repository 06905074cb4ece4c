// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The used keys, until they expire.
struct ReplayTable: Sendable {
    private let perAccountLimit: Int
    private let limit: Int
    private var keys: Set<ReplayKey> = []
    private var counts: [ReplayKey: Int] = [:]
    /// The keys by the second in which they may be removed. The seconds cover a few minutes, so that a scan of all of
    /// them is fast.
    private var buckets: [Int64: [(key: ReplayKey, account: ReplayKey)]] = [:]
    /// A key that expires no later than this may have been removed. The value never decreases, even if the clock is set
    /// back.
    private var forgottenThrough = Int64.min
    private var lastPurge = Int64.min

    init(perAccountLimit: Int, limit: Int) {
        self.perAccountLimit = perAccountLimit
        self.limit = limit
    }

    var count: Int { keys.count }
    var accountCount: Int { counts.count }
    var bucketCount: Int { buckets.count }

    mutating func insertIfAbsent(
        _ key: ReplayKey,
        account: ReplayKey,
        expiresAt: Int64,
        now: Int64
    ) -> ReplayStoreResult {
        purge(now: now)
        guard expiresAt > now, expiresAt > forgottenThrough, !keys.contains(key) else { return .present }
        let count = counts[account] ?? 0
        guard keys.count < limit, count < perAccountLimit else { return .full }
        keys.insert(key)
        counts[account] = count + 1
        buckets[expiresAt, default: []].append((key, account))
        return .inserted
    }

    private mutating func purge(now: Int64) {
        // Purges also if the clock was set back: keys inserted since then expire before the time of the last purge.
        guard now != lastPurge else { return }
        lastPurge = now
        for second in buckets.keys.filter({ $0 <= now }) {
            forgottenThrough = max(forgottenThrough, second)
            for entry in buckets.removeValue(forKey: second) ?? [] {
                keys.remove(entry.key)
                let rest = (counts[entry.account] ?? 0) - 1
                counts[entry.account] = rest > 0 ? rest : nil
            }
        }
    }
}
