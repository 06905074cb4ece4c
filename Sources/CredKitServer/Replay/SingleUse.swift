// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Something that may be used once, as a ``ReplayGuard`` sees it. The times are seconds on one clock, which may be set
/// back.
struct SingleUse: Sendable {
    /// The key under which the use is remembered.
    let key: StoreKey

    /// The key of the user, for a limit per user.
    let account: StoreKey

    /// The time from which it could be used.
    let validFrom: Int64

    /// The time from which it is expired.
    let validUntil: Int64

    /// The time of the verification.
    let verifiedAt: Int64

    /// The second of its minute in which a proof for a bare minute was verified; `nil` for everything else.
    let secondInMinute: Int64?

    /// The time for which the use must be remembered after it has expired.
    var margin = Duration.zero

    /// Whether it has expired.
    var isExpired: Bool { validUntil <= verifiedAt }

    /// The time for which the use must be remembered.
    var lifetime: Duration { .seconds(validUntil - verifiedAt) + margin }

    /// The time since it could first be used, rounded up to a whole second.
    var age: Duration { .seconds(max(0, verifiedAt - validFrom) + 1) }
}
