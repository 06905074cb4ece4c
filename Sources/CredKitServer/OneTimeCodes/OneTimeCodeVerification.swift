// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The decision of a ``OneTimeCodeVerifier``. Answer every case but ``accepted(drift:)`` and ``limited(retryAfter:)`` in the
/// same way: an attacker must not learn that a code was correct. Every time to wait is a number of whole seconds, as the
/// header Retry-After takes it: `wait.components.seconds`.
public enum OneTimeCodeVerification: Sendable, Hashable {
    /// The code is correct, and was not used before.
    ///
    /// - Parameter drift: For a key with the time, how many periods the clock of the device is ahead; negative if it is
    ///   behind. For a key with a counter, how many codes were skipped.
    case accepted(drift: Int)
    /// The code is wrong.
    case rejected
    /// The text is not a code of this key: it has another number of digits or other characters. It does not count as an
    /// attempt.
    case malformed
    /// The code is correct, but it or a later one was used before.
    case replayed
    /// Too many attempts for this account: answer 429.
    ///
    /// - Parameter retryAfter: The time to wait.
    case limited(retryAfter: Duration)
    /// The store cannot determine whether the code was used before: answer 503.
    ///
    /// - Parameter retryAfter: The time to wait.
    case unavailable(retryAfter: Duration)
}
