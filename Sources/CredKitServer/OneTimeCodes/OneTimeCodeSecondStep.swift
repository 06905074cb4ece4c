// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// One-time codes, and recovery codes in their place, as the second step of a ``LoginService``.
///
/// ```swift
/// let verifier = try OneTimeCodeVerifier(replayStore: storage.replays, rateStore: storage.rates)
/// let step = OneTimeCodeSecondStep(users, verifier: verifier)
/// let service = try LoginService(accounts: users, mechanisms: […], storage: storage, secondStep: step)
/// ```
///
/// The attempts with codes have the limit of the verifier, besides that of the service.
public struct OneTimeCodeSecondStep: LoginSecondStep {
    private let users: any OneTimeCodeUsers
    private let verifier: OneTimeCodeVerifier

    /// Creates the step.
    ///
    /// - Parameters:
    ///   - users: The keys of the users.
    ///   - verifier: Verifies the codes.
    public init(_ users: some OneTimeCodeUsers, verifier: OneTimeCodeVerifier) {
        self.users = users
        self.verifier = verifier
    }

    /// Whether the user has set up codes.
    ///
    /// - Parameter account: The user, whose first step was right.
    /// - Returns: Whether a code is needed.
    /// - Throws: What ``OneTimeCodeUsers`` throws.
    public func isRequired(for account: LoginAccount) async throws -> Bool {
        try await users.oneTimeCode(ofAccountNamed: account.name) != nil
    }

    /// Verifies a one-time code or a recovery code, and marks it as used.
    ///
    /// - Parameters:
    ///   - code: The code that the client sent, which may be any text.
    ///   - account: The user, whose first step was right.
    ///   - now: The current time.
    /// - Returns: The verdict. A code that was used before is rejected like any other.
    /// - Throws: What ``OneTimeCodeUsers`` throws, or ``OneTimeCodeVerifier/verify(_:account:key:drift:at:)``.
    public func verify(
        _ code: String,
        of account: LoginAccount,
        at now: UnixTime
    ) async throws -> MechanismVerdict {
        // Far longer than a one-time code, and no guess of it.
        if RecoveryCodes.key(of: code, account: account.name) != nil {
            let result = try await RecoveryCodes.verify(code, account: account.name) { key in
                try await users.consumeRecoveryCode(key, ofAccountNamed: account.name)
            }
            return result == .accepted ? .accepted() : .rejected
        }
        guard let user = try await users.oneTimeCode(ofAccountNamed: account.name) else { return .rejected }
        switch try await verifier.verify(
            code,
            account: account.name,
            key: user.key,
            drift: user.drift,
            at: now
        ) {
        case .accepted(let drift):
            if case .time = user.key.kind, drift != user.drift {
                // The code is used up: without the drift, the user can still log in.
                try? await users.setDrift(drift, ofAccountNamed: account.name)
            }
            return .accepted()
        case .limited(let wait): return .limited(retryAfter: wait)
        case .unavailable(let wait): return .unavailable(retryAfter: wait)
        case .rejected, .malformed, .replayed: return .rejected
        }
    }
}
