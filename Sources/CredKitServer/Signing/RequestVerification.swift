// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The result of a ``RequestVerifier``.
public enum RequestVerification: Sendable {
    /// The head of the request is signed, and was not accepted before. Check the content next: see ``VerifiedRequest``.
    case verified(VerifiedRequest)

    /// The request is invalid: answer 401, always the same, without the reason, which is for logs.
    case rejected(RequestRejection)

    /// The store cannot determine whether the nonce was used, or has no room for it: answer 503.
    ///
    /// - Parameter retryAfter: The time after which to retry with a new signature, in whole seconds, as the header
    ///   Retry-After takes it: `wait.components.seconds`.
    case unavailable(retryAfter: Duration)
}
