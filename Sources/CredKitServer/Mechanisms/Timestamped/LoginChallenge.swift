// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// A challenge for one login, authenticated as issued by this server.
public struct LoginChallenge: Sendable, Hashable {
    /// The complete text, which clients use in place of a minute.
    public let text: String

    /// The time of issue.
    public let issuedAt: UnixTime

    /// The time from which the challenge is expired.
    public let expiresAt: UnixTime

    /// The time by which another process's clock may be ahead.
    static let tolerance = Duration.seconds(5)

    /// Returns whether the challenge can be used at a time.
    func isValid(at now: UnixTime) -> Bool {
        issuedAt <= now + Self.tolerance && now < expiresAt
    }
}
