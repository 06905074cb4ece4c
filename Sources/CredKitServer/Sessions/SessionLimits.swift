// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The lifetimes of sessions, and their number per user.
public struct SessionLimits: Sendable, Hashable {
    /// The time until a session ends, even if it is used; from 1 second to 400 days. Default: 12 hours.
    public var lifetime = Duration.seconds(43_200)

    /// The time without a request after which a session ends; from 1 second to 400 days. Default: 1 hour.
    public var idleLifetime = Duration.seconds(3600)

    /// The maximum number of sessions of one user, from 1 to 65,536. Default: 16. One more ends the user's oldest
    /// session.
    public var perUserLimit = 16

    /// Creates limits with the default values.
    public init() {}

    /// Throws if a value is outside its range.
    func check() throws(LoginServerError) {
        let range = Duration.seconds(1)...(.seconds(400 * 86_400))
        try LoginServerError.check("the lifetime of a session", lifetime, in: range)
        try LoginServerError.check("the idle lifetime of a session", idleLifetime, in: range)
        try LoginServerError.check("the limit of sessions per user", perUserLimit, in: 1...1 << 16)
    }
}
