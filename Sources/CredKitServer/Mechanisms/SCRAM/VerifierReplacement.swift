// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The decision of a ``LoginService`` about a new verifier that a client sent.
public enum VerifierReplacement: Sendable, Equatable {
    /// The new verifier is stored, and the old one is gone with everything that was made of the password-equivalent. Over HTTP:
    /// 204.
    case replaced
    /// The new verifier is malformed, or its iterations, salt or hash function are not accepted. Nothing was used up. Over HTTP:
    /// 400.
    ///
    /// - Parameter reason: Why.
    case invalidVerifier(LoginServerError)
    /// The ticket is not one of this service and user, has expired, was used, or the stored credential is another one by now.
    /// Over HTTP: 403.
    case invalidTicket
    /// The service cannot determine whether the ticket was used before. Over HTTP: 503.
    ///
    /// - Parameter retryAfter: The time to wait.
    case unavailable(retryAfter: Duration)
    /// The service has no mechanism of this name.
    case unknownMechanism
}
