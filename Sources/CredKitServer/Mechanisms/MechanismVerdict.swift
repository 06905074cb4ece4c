// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The verdict of a ``ServerLoginMechanism`` or a ``LoginSecondStep`` about what a client sent.
public struct MechanismVerdict: Sendable, Hashable {
    enum Outcome: Sendable, Hashable {
        case accepted
        case rejected
        case limited(retryAfter: Duration)
        case unavailable(retryAfter: Duration)
    }

    let outcome: Outcome
    /// What the login uses up.
    var use: SingleUse?
    /// The challenge that was answered.
    var challenge: String?
    /// What should be stored in place of the credential that was verified.
    var newCredential: StoredCredential?
    /// What the client is told, if the service decides likewise.
    var answer: String?
    /// With what an accepted client may replace its verifier.
    var ticket: String?
    /// Whether the response counts as two factors, so that no second step is needed.
    var hasTwoFactors = false

    /// The response is invalid. The verdict does not state why.
    public static let rejected = Self(outcome: .rejected)

    /// The response is invalid, and the client is told something by the protocol of the mechanism.
    ///
    /// - Parameter answer: What the client is told. It must not depend on the account.
    /// - Returns: The verdict.
    public static func rejected(answer: String) -> Self {
        Self(outcome: .rejected, answer: answer)
    }

    /// The response is the user's.
    ///
    /// - Parameters:
    ///   - use: What this login uses up, which the service marks as used: the login is rejected if it was used before.
    ///     `nil` if the same response may be sent again, like a password.
    ///   - challenge: The challenge that was answered, for ``ServerLoginMechanism/consume(_:of:)``.
    ///   - newCredential: What ``LoginAccounts`` should store in place of the account's credential, for example the hash
    ///     of the same password by a stronger policy.
    ///   - answer: What the client is told by the protocol of the mechanism, such as the server's proof. It is in
    ///     ``LoginResult/answer`` if the login is accepted as a whole, or if only a code is missing.
    /// - Returns: The verdict.
    public static func accepted(
        using use: SingleUse? = nil,
        challenge: String? = nil,
        newCredential: StoredCredential? = nil,
        answer: String? = nil
    ) -> Self {
        Self(outcome: .accepted, use: use, challenge: challenge, newCredential: newCredential, answer: answer)
    }

    /// There were too many attempts, by a limit of the mechanism or the second step itself. That of a mechanism must not
    /// depend on whether the account exists.
    ///
    /// - Parameter retryAfter: The time to wait, which the service rounds up to whole seconds.
    /// - Returns: The verdict.
    public static func limited(retryAfter: Duration) -> Self {
        Self(outcome: .limited(retryAfter: retryAfter))
    }

    /// The response cannot be verified now. This must not depend on the account.
    ///
    /// - Parameter retryAfter: The time to wait, which the service rounds up to whole seconds.
    /// - Returns: The verdict.
    public static func unavailable(retryAfter: Duration) -> Self {
        Self(outcome: .unavailable(retryAfter: retryAfter))
    }
}
