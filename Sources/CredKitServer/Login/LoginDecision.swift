// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The decision of a ``LoginService``. Every time to wait is a number of whole seconds, as the header Retry-After takes
/// it: `wait.components.seconds`.
public enum LoginDecision: Sendable, Hashable {
    /// The user is logged in.
    ///
    /// - Parameter user: The name in the server's table.
    case accepted(user: String)
    /// The login is invalid; the reason is not stated. Answer 401, or the status that the clients expect.
    case rejected
    /// The first step is right, and the user must send a code as well: see ``LoginSecondStep``. The client sends the whole
    /// login again, with the code. This tells that the first step was right, and nothing has been used up.
    case codeRequired
    /// The proof is correct, but was already used in its minute: answer 429. A second login of the same user in the
    /// same minute cannot be distinguished from a replay.
    ///
    /// - Parameter retryAfter: The time until the next minute.
    case replayed(retryAfter: Duration)
    /// Too many attempts: answer 429.
    ///
    /// - Parameter retryAfter: The time to wait.
    case limited(retryAfter: Duration)
    /// The service cannot determine whether the proof was used before: answer 503.
    ///
    /// - Parameter retryAfter: The time to wait.
    case unavailable(retryAfter: Duration)
    /// The service has no mechanism of this name: answer 400, if the name is the client's. Nothing was counted or verified,
    /// and no other mechanism was tried.
    case unknownMechanism
}
