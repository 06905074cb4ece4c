// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The decision of a ``RateLimiter`` or a ``RateStore`` about an attempt.
public enum RateLimitResult: Sendable, Hashable {
    /// The attempt is allowed, and was counted.
    case allowed
    /// The attempt is not allowed, and was not counted.
    ///
    /// - Parameter retryAfter: The time until the next attempt is allowed. A ``RateLimiter`` rounds it up to whole
    ///   seconds, as the header Retry-After takes it: `retryAfter.components.seconds`.
    case limited(retryAfter: Duration)
}
