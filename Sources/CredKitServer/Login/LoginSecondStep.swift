// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// A second step of a login, such as a one-time code, for the users who have set one up.
///
/// A ``LoginService`` asks it only after the first step was right: an attacker without the password learns neither who
/// has a second step nor whether a code is valid, and cannot use up a code.
///
/// The client sends the code with its response, as ``LoginAttempt/code``. Without a code the decision is
/// ``LoginDecision/codeRequired``. The client then sends the whole login again, with the code: the server keeps no login
/// that is half done. Each request counts as an attempt of the user, whatever is wrong with it; a limit of 10 attempts in
/// 5 minutes allows an attacker who knows the password 2,900 guesses a day. Codes of 6 digits need a lower limit of their
/// own: answer ``MechanismVerdict/limited(retryAfter:)``.
///
/// A proof that came with a code is used up even if the code was wrong. The next attempt needs a new challenge, or with
/// bare minutes the next minute.
public protocol LoginSecondStep: Sendable {
    /// Returns whether a user must send a code.
    ///
    /// - Parameter account: The user, whose first step was right.
    /// - Returns: Whether a code is needed.
    /// - Throws: Any error. No user is logged in then, and ``LoginService`` wraps it.
    func isRequired(for account: LoginAccount) async throws -> Bool

    /// Verifies a code.
    ///
    /// - Parameters:
    ///   - code: The code that the client sent, which may be any text.
    ///   - account: The user, whose first step was right.
    ///   - now: The current time.
    /// - Returns: The verdict. A code must be accepted once: mark it as used, or name it in the verdict as a
    ///   ``SingleUse``.
    /// - Throws: Any error. No user is logged in then, and ``LoginService`` wraps it.
    func verify(
        _ code: String,
        of account: LoginAccount,
        at now: UnixTime
    ) async throws -> MechanismVerdict
}

/// A second step that is asked again when the session has been created: what was accepted may have been removed meanwhile.
protocol RecheckedSecondStep: LoginSecondStep {
    /// Returns whether what was accepted still would be.
    func isStillAccepted() async throws -> Bool
}
