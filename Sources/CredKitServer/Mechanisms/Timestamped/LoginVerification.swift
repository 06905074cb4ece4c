// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The result of verifying a proof.
public enum LoginVerification: Sendable, Hashable {
    /// The proof is the user's. It is valid only if it was never used before: ask a ``ReplayGuard`` next.
    case accepted(VerifiedProof)

    /// The proof is invalid: the user does not exist, the password is wrong, the proof has expired, or the posted text
    /// is not a proof. The result does not say which.
    case rejected
}
