// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// The properties of a verified proof.
public struct VerifiedProof: Sendable, Hashable {
    /// The user's name in the server's table.
    public let accountName: String

    /// The challenge that the proof was computed over.
    public let challenge: String

    /// The key under which the proof is remembered. Neither the proof nor the password can be derived from it.
    public let replayKey: StoreKey

    // The following times are seconds on one clock: since 1970 in UTC for one-time challenges, and in the server's local
    // time for minutes, which repeat when that clock is set back.

    /// The time from which the proof could be used.
    let validFrom: Int64

    /// The time from which the proof is expired.
    let validUntil: Int64

    /// The time of the verification.
    let verifiedAt: Int64

    /// The time from the verification until the proof expires.
    public var remainingLifetime: Duration { singleUse.lifetime }

    /// The time since a proof for the same challenge could first be used, rounded up to a whole second.
    public var challengeAge: Duration { singleUse.age }

    /// Whether the challenge is a bare minute.
    var isForMinute: Bool { challenge.utf8.count == 16 }

    /// The second of its minute in which the proof was verified, from 0 to 59.
    var secondInMinute: Int64 {
        Int64(Int(verifiedAt).flooredQuotientAndRemainder(dividingBy: 60).remainder)
    }

    /// The proof as a ``ReplayGuard`` sees it.
    var singleUse: SingleUse {
        SingleUse(
            key: replayKey,
            account: StoreKey("account", accountName),
            validFrom: validFrom,
            validUntil: validUntil,
            verifiedAt: verifiedAt,
            secondInMinute: isForMinute ? secondInMinute : nil
        )
    }
}
