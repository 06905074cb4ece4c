// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The decision of a ``ReplayGuard`` or a ``ReplayStore`` about a proof.
public enum ReplayDecision: Sendable, Hashable {
    /// The proof was not used before, and has been marked as used.
    case accepted
    /// The proof was used before, or may have been.
    case replayed
    /// The store cannot determine whether the proof was used, or has no room for it; the login must be rejected.
    ///
    /// - Parameter retryAfter: The time after which to retry with a new proof. A ``ReplayGuard`` rounds it up to
    ///   whole seconds.
    case unavailable(retryAfter: Duration)
}
