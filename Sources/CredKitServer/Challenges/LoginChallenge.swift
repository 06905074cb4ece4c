// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A challenge for one login, authenticated as issued by this server.
public struct LoginChallenge: Sendable, Hashable {
    /// The complete text, which clients use in place of a minute.
    public let text: String

    /// The time of issue, in seconds since 1970-01-01 00:00:00 UTC.
    public let issuedAt: Int64

    /// The time from which the challenge is expired.
    public let expiresAt: Int64

    /// The number of seconds by which another process's clock may be ahead.
    static let tolerance: Int64 = 5

    /// Returns whether the challenge can be used at a time.
    func isValid(at now: Int64) -> Bool {
        issuedAt <= now + Self.tolerance && now < expiresAt
    }
}
