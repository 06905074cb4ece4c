// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The sessions by their key. Times are durations since the table was created.
struct SessionTable: Sendable {
    private struct Entry: Sendable {
        let user: String
        let userKey: StoreKey
        var generation: UInt64
        let creation: Duration
        let expiry: Duration
        let idleLifetime: Duration
        var lastUse: Duration
    }

    private struct User: Sendable {
        let generation: UInt64
        /// The sessions of this generation, the oldest first.
        var sessions: [StoreKey] = []
    }

    private let limit: Int
    private var entries: [StoreKey: Entry] = [:]
    /// The users who have sessions. Their keys distinguish names that are equal as strings but not as bytes.
    private var users: [StoreKey: User] = [:]
    /// Never used twice, so that a user who has no session needs no entry.
    private var lastGeneration: UInt64 = 0
    /// The number of entries of earlier generations.
    private var revokedCount = 0
    private var lastPurge: Duration?

    init(limit: Int) {
        self.limit = limit
    }

    /// The number of sessions that are not revoked.
    var count: Int { entries.count - revokedCount }
    var entryCount: Int { entries.count }
    var userCount: Int { users.count }

    /// Adds a session. Returns `false` if the table is full.
    mutating func create(
        _ session: StoreKey,
        of user: String,
        limits: SessionLimits,
        at now: Duration
    ) -> Bool {
        remove(session)
        if entries.count >= limit { purge(at: now) }
        let userKey = StoreKey("user", user)
        while let own = users[userKey]?.sessions, let oldest = own.first, own.count >= limits.perUserLimit {
            remove(oldest)
        }
        guard entries.count < limit else { return false }
        if users[userKey] == nil {
            lastGeneration += 1
            users[userKey] = User(generation: lastGeneration)
        }
        users[userKey]?.sessions.append(session)
        entries[session] = Entry(
            user: user,
            userKey: userKey,
            generation: users[userKey]?.generation ?? 0,
            creation: now,
            expiry: now + limits.lifetime.clamped,
            idleLifetime: limits.idleLifetime.clamped,
            lastUse: now
        )
        return true
    }

    /// Returns the user of a session, and records the use.
    mutating func use(_ session: StoreKey, at now: Duration) -> String? {
        guard let entry = entries[session] else { return nil }
        guard isValid(entry, at: now) else {
            remove(session)
            return nil
        }
        entries[session]?.lastUse = now
        return entry.user
    }

    mutating func remove(_ session: StoreKey) {
        guard let entry = entries.removeValue(forKey: session) else { return }
        guard isCurrent(entry) else {
            revokedCount -= 1
            return
        }
        users[entry.userKey]?.sessions.removeAll { $0 == session }
        if users[entry.userKey]?.sessions.isEmpty ?? false { users[entry.userKey] = nil }
    }

    /// Ends the generation of a user. The entries are removed when they are used or when the table is full.
    mutating func removeAll(of user: String) {
        revokedCount += users.removeValue(forKey: StoreKey("user", user))?.sessions.count ?? 0
    }

    /// Ends the generation of a user, except for one session, which is moved to a new one.
    mutating func removeOthers(of user: String, retaining session: StoreKey) {
        let found = entries[session]
        let isOwn = found.map { $0.userKey == StoreKey("user", user) && isCurrent($0) } ?? false
        removeAll(of: user)
        guard isOwn, var kept = found else { return }
        revokedCount -= 1
        lastGeneration += 1
        kept.generation = lastGeneration
        entries[session] = kept
        users[kept.userKey] = User(generation: lastGeneration, sessions: [session])
    }

    /// Returns the sessions of a user that have not ended, the newest first.
    func sessions(of user: String, at now: Duration) -> [StoredSession] {
        (users[StoreKey("user", user)]?.sessions ?? []).reversed().compactMap { session -> StoredSession? in
            guard let entry = entries[session], isValid(entry, at: now) else { return nil }
            return StoredSession(key: session, age: now - entry.creation, idle: now - entry.lastUse)
        }
    }

    private func isCurrent(_ entry: Entry) -> Bool { users[entry.userKey]?.generation == entry.generation }

    private func isValid(_ entry: Entry, at now: Duration) -> Bool {
        isCurrent(entry) && now < entry.expiry && now < entry.lastUse + entry.idleLifetime
    }

    /// Removes sessions that have ended; at most once a second, unless there are revoked ones.
    private mutating func purge(at now: Duration) {
        if revokedCount == 0, let lastPurge, now < lastPurge + .seconds(1) { return }
        lastPurge = now
        for (session, entry) in entries where !isValid(entry, at: now) { remove(session) }
    }
}
