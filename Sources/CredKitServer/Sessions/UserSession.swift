// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A session of a user, for a page on which the user ends sessions.
public struct UserSession: Sendable, Hashable {
    /// What stands for the session: 16 hexadecimal digits of a SHA-256. It is no secret, and cannot log in.
    public let reference: String

    /// The time since the login.
    public let age: Duration

    /// The time since the last recorded use. Shared stores record at most one use a minute.
    public let idle: Duration

    /// Whether it is the session of this request.
    public let isCurrent: Bool

    /// Creates a session, for tests.
    ///
    /// - Parameters:
    ///   - reference: What stands for the session.
    ///   - age: The time since the login.
    ///   - idle: The time since the last recorded use.
    ///   - isCurrent: Whether it is the session of this request.
    public init(reference: String, age: Duration, idle: Duration, isCurrent: Bool) {
        self.reference = reference
        self.age = age
        self.idle = idle
        self.isCurrent = isCurrent
    }
}
