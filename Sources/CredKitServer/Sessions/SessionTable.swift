// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The sessions by the hash of their token.
struct SessionTable: Sendable {
    private struct Entry: Sendable {
        let user: String
        let number: UInt64
        let expiresAt: Int64
        var lastUse: Int64
    }

    private let limits: SessionTokenStore.Configuration
    private var entries: [HashedKey: Entry] = [:]
    private var byUser: [String: Set<HashedKey>] = [:]
    private var lastNumber: UInt64 = 0
    private var lastPurge: Int64?

    init(limits: SessionTokenStore.Configuration) {
        self.limits = limits
    }

    var count: Int { entries.count }
    var userCount: Int { byUser.count }

    /// Adds a session. If the user has the maximum number of sessions, their oldest one ends. Returns `false` if the
    /// table is full.
    mutating func insert(_ key: HashedKey, user: String, at now: Int64) -> Bool {
        if entries.count >= limits.limit { purge(at: now) }
        if let own = byUser[user], own.count >= limits.perUserLimit,
            let oldest = own.min(by: { (entries[$0]?.number ?? 0) < (entries[$1]?.number ?? 0) })
        {
            remove(oldest)
        }
        guard entries.count < limits.limit else { return false }
        lastNumber += 1
        let expiresAt = now + Int64(limits.lifetime)
        entries[key] = Entry(user: user, number: lastNumber, expiresAt: expiresAt, lastUse: now)
        byUser[user, default: []].insert(key)
        return true
    }

    /// Returns the user of a session, and records the use.
    mutating func use(_ key: HashedKey, at now: Int64) -> String? {
        guard let entry = entries[key] else { return nil }
        guard isValid(entry, at: now) else {
            remove(key)
            return nil
        }
        entries[key]?.lastUse = max(entry.lastUse, now)
        return entry.user
    }

    mutating func remove(_ key: HashedKey) {
        guard let entry = entries.removeValue(forKey: key) else { return }
        byUser[entry.user]?.remove(key)
        if byUser[entry.user]?.isEmpty ?? false { byUser[entry.user] = nil }
    }

    mutating func removeAll(of user: String) {
        for key in byUser.removeValue(forKey: user) ?? [] { entries[key] = nil }
    }

    private func isValid(_ entry: Entry, at now: Int64) -> Bool {
        now < entry.expiresAt && now < entry.lastUse + Int64(limits.idleLifetime)
    }

    /// Removes expired sessions, at most once a second.
    private mutating func purge(at now: Int64) {
        guard now != lastPurge else { return }
        lastPurge = now
        for (key, entry) in entries where !isValid(entry, at: now) { remove(key) }
    }
}
