// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A time text for one login, found to be of this server's making.
public struct OneTimeText: Sendable, Hashable {
    /// The text, all of it: what clients use in place of a minute.
    public let text: String

    /// When it was issued, in seconds since 1970-01-01 00:00:00 UTC.
    public let issuedAt: Int64

    /// From when on it is of no use.
    public let expiresAt: Int64

    /// How far ahead another process's clock may be, in seconds.
    static let tolerance: Int64 = 5

    /// Whether it can be used at a time.
    func isValid(at now: Int64) -> Bool {
        issuedAt <= now + Self.tolerance && now < expiresAt
    }
}
