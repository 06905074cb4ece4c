// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A session as a ``SessionStore`` knows it, for a list of a user's sessions.
public struct StoredSession: Sendable, Hashable {
    /// The key of the session. It is no token: it cannot log in.
    public let key: StoreKey

    /// The time since the session was created, on the clock of the store; not negative.
    public let age: Duration

    /// The time since its last recorded use, on the clock of the store; not negative. A store may record uses less often than they
    /// happen.
    public let idle: Duration

    /// Creates a session.
    ///
    /// - Parameters:
    ///   - key: The key of the session.
    ///   - age: The time since it was created. A negative one counts as zero.
    ///   - idle: The time since its last recorded use. A negative one counts as zero.
    public init(key: StoreKey, age: Duration, idle: Duration) {
        self.key = key
        self.age = max(.zero, age)
        self.idle = max(.zero, idle)
    }
}
