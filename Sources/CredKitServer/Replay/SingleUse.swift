// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// Something that may be used once, such as a challenge, a nonce or a code, as a ``ReplayGuard`` sees it.
///
/// ```swift
/// let use = SingleUse(
///     StoreKey("order confirmation", number),
///     of: account.name,
///     validFrom: issuedAt,
///     validUntil: issuedAt + .seconds(300),
///     verifiedAt: now
/// )
/// ```
public struct SingleUse: Sendable, Hashable {
    // The times are seconds on one clock, which may be set back.

    /// The key under which the use is remembered.
    let key: StoreKey

    /// The key of the user, for a limit per user.
    let account: StoreKey

    /// The time from which it could be used.
    let validFrom: Int64

    /// The time from which it is expired.
    let validUntil: Int64

    /// The time of the verification.
    var verifiedAt: Int64

    /// The second of its minute in which a proof for a bare minute was verified; `nil` for everything else.
    let secondInMinute: Int64?

    /// The time for which the use must be remembered after it has expired.
    let margin: Duration

    init(
        key: StoreKey,
        account: StoreKey,
        validFrom: Int64,
        validUntil: Int64,
        verifiedAt: Int64,
        secondInMinute: Int64?,
        margin: Duration = .zero
    ) {
        self.key = key
        self.account = account
        self.validFrom = validFrom
        self.validUntil = validUntil
        self.verifiedAt = verifiedAt
        self.secondInMinute = secondInMinute
        self.margin = margin
    }

    /// Creates a description of a use.
    ///
    /// - Parameters:
    ///   - key: What is used. Begin the key with a text that names the purpose, and let it contain the name of the account
    ///     if different users may use the same thing.
    ///   - account: The user's name in the server's table, for a limit per user.
    ///   - validFrom: The time from which it could be used, not later than the first process could have accepted it. A
    ///     store that may have lost what was used since then rejects it.
    ///   - validUntil: The time from which it is expired, and will never be accepted again. Until then the use is
    ///     remembered, so keep it within minutes or hours.
    ///   - now: The time of the verification.
    public init(
        _ key: StoreKey,
        of account: String,
        validFrom: UnixTime,
        validUntil: UnixTime,
        verifiedAt now: UnixTime
    ) {
        // The years 1970 to 6325, so that arithmetic cannot overflow.
        func clamped(_ time: UnixTime) -> Int64 { min(max(time.seconds, 0), 1 << 37) }
        self.init(
            key: key,
            account: StoreKey("account", account),
            validFrom: clamped(validFrom),
            validUntil: clamped(validUntil),
            verifiedAt: clamped(now),
            secondInMinute: nil
        )
    }

    /// Returns the same some time after it was verified, in whole seconds.
    func later(by duration: Duration) -> Self {
        var use = self
        use.verifiedAt += duration.components.seconds
        return use
    }

    /// Whether it has expired.
    var isExpired: Bool { validUntil <= verifiedAt }

    /// The time for which the use must be remembered.
    var lifetime: Duration { .seconds(validUntil - verifiedAt) + margin }

    /// The time since it could first be used, rounded up to a whole second.
    var age: Duration { .seconds(max(0, verifiedAt - validFrom) + 1) }
}
