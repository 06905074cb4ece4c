// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The result of verifying a proof.
public enum LoginVerification: Sendable, Hashable {
    /// The proof is the user's. It is valid only if it was never used before: ask a ``ReplayGuard`` next.
    case accepted(VerifiedProof)

    /// The proof is invalid: the user does not exist, the password is wrong, the proof has expired, or the posted text
    /// is not a proof. The result does not say which.
    case rejected
}

/// The properties of a verified proof.
public struct VerifiedProof: Sendable, Hashable {
    /// The user's name in the server's table.
    public let accountName: String

    /// The challenge that the proof was computed over.
    public let challenge: String

    /// The key under which the proof is remembered. Neither the proof nor the password can be derived from it.
    public let replayKey: ReplayKey

    /// The time from which the proof could be used, on the clock that it was verified with.
    public let validFrom: Int64

    /// The time from which the proof is expired.
    public let validUntil: Int64

    /// The time of the verification. This and the two times above are seconds on one clock: since 1970 in UTC for
    /// one-time challenges, and in the server's local time for minutes, which repeat when that clock is set back.
    public let verifiedAt: Int64
}
