// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// What a link says with which a user can choose a password: see ``LoginService/accountLink(_:forAccountNamed:lifetime:at:)``.
public struct AccountLink: Sendable, Hashable {
    /// What a link is for. Both do the same; pages and mails differ.
    public enum Purpose: String, Sendable, Hashable, CaseIterable {
        /// The first password of a new user.
        case invitation
        /// A new password in place of one that the user has forgotten.
        case reset
    }

    /// The times for which a link can be valid: from a minute to seven days.
    public static let lifetimes: ClosedRange<Duration> = .seconds(60) ... .seconds(7 * 86_400)

    /// The name of the account in the table.
    public let accountName: String

    /// What the link is for.
    public let purpose: Purpose

    /// The time from which it is expired.
    public let expiry: UnixTime
}
