// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The answer to a proof.
public enum LoginVerification: Sendable, Hashable {
    /// The proof is the user's. It counts only when it was never used before: ask a ``ReplayGuard`` next.
    case accepted(VerifiedProof)

    /// It is not: the user does not exist, the password is wrong, the time is over, or what was posted is no proof at
    /// all. Nobody is told which.
    case rejected
}

/// What is known of a proof that was found to be right.
public struct VerifiedProof: Sendable, Hashable {
    /// The user, by the name in the server's table.
    public let accountName: String

    /// The time text that the proof was made for.
    public let timeText: String

    /// What the proof is remembered by: nothing of proof and password can be found in it.
    public let replayKey: ReplayKey

    /// From when on the proof could be used, on the clock that it was checked by.
    public let acceptableFrom: Int64

    /// From when on it cannot be used any more.
    public let acceptableUntil: Int64

    /// When it was checked. This and the two times above are seconds on one clock: since 1970 in UTC for one-time
    /// texts, and on the server's wall for minutes, whose texts come twice when that clock is set back.
    public let verifiedAt: Int64
}
