// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// The timestamped login as a mechanism of ``LoginService``. The response is the proof.
///
/// ```swift
/// let service = try LoginService(accounts: users, mechanisms: [.timestamped(keyPhrase: "school-2012")], storage: storage)
/// let challenge = try await service.challenge(of: TimestampedMechanism.name, for: address)
/// ```
///
/// > Warning: See ``CredKit/Legacy/TimestampedLogin`` for the limits of such a login: it does not replace TLS.
public struct TimestampedMechanism: LocalTimeMechanism {
    /// The name of the mechanism: `timestamped`.
    public static let name = "timestamped"

    /// The name of the mechanism: `timestamped`.
    public var name: String { Self.name }

    let verifier: LoginVerifier
    var challenges: LoginChallengeIssuer?
    var utcOffset: @Sendable (UnixTime) -> Duration

    /// Creates a mechanism.
    ///
    /// - Parameters:
    ///   - verifier: Verifies the proofs.
    ///   - challenges: Issues one-time challenges; `nil` for bare minutes, as the oldest servers use. An issuer without a
    ///     store of its own uses that of the service.
    ///   - utcOffset: Returns the offset from UTC, less than 24 hours, of the clock whose minutes the clients expect.
    public init(
        verifier: LoginVerifier,
        challenges: LoginChallengeIssuer?,
        utcOffset: @escaping @Sendable (UnixTime) -> Duration = { _ in .zero }
    ) {
        self.verifier = verifier
        self.challenges = challenges
        self.utcOffset = utcOffset
    }

    /// Returns the mechanism, which remembers challenges in the store of the service.
    ///
    /// - Parameter storage: The stores of the service.
    /// - Returns: The mechanism.
    public func connected(to storage: LoginStorage) -> Self {
        var copy = self
        copy.challenges = challenges?.withDefaultStore(storage.challenges)
        return copy
    }

    /// Returns a one-time challenge or a bare minute.
    ///
    /// - Parameters:
    ///   - clientAddress: The address of the client: see ``ClientAddress``.
    ///   - now: The current time.
    /// - Returns: The challenge.
    /// - Throws: ``LoginServerError/timeOutOfRange``, ``LoginServerError/storeFailed``,
    ///   ``LoginServerError/cancelled``.
    public func challenge(
        for clientAddress: String,
        at now: UnixTime
    ) async throws(LoginServerError) -> String? {
        let utcOffset = utcOffset(now)
        if let challenges {
            return try await challenges.issue(to: clientAddress, at: now, utcOffset: utcOffset)
        }
        return try LoginChallengeIssuer.minute(at: now, utcOffset: utcOffset).description
    }

    /// Verifies a proof.
    ///
    /// - Parameters:
    ///   - attempt: What the client sent: the proof, and the one-time challenge if it was returned.
    ///   - account: The user; `nil` if there is none.
    ///   - now: The current time.
    /// - Returns: The verdict.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/cancelled``.
    public func verify(
        _ attempt: LoginAttempt,
        account: LoginAccount?,
        at now: UnixTime
    ) async throws(LoginServerError) -> MechanismVerdict {
        let proof = attempt.response.withSecretBytes { bytes in
            guard let text = try? UTF8Span(validating: bytes) else {
                // Not a proof either, and rejected for the same cost.
                return ""
            }
            return String(copying: text)
        }
        guard let challenges else {
            let verification = verifier.verify(
                proof: proof,
                account: account,
                at: now,
                utcOffset: utcOffset(now)
            )
            return Self.verdict(of: verification)
        }
        // A challenge that comes back authenticates itself, so that a shared store need not be asked. It stays in the store until
        // it expires: the replay check accepts it once for each user, and the store drops the oldest first.
        if let returned = attempt.challenge.flatMap({ challenges.read($0, at: now) }),
            case .accepted(let verified) = verifier.verify(
                proof: proof,
                account: account,
                challenges: [returned],
                at: now
            )
        {
            return .accepted(using: verified.singleUse)
        }
        let candidates = try await challenges.candidates(
            for: attempt.clientAddress,
            returned: attempt.challenge,
            at: now
        )
        return Self.verdict(
            of: verifier.verify(proof: proof, account: account, challenges: candidates, at: now)
        )
    }

    private static func verdict(of verification: LoginVerification) -> MechanismVerdict {
        guard case .accepted(let verified) = verification else { return .rejected }
        return .accepted(using: verified.singleUse, challenge: verified.challenge)
    }

    /// Forgets a one-time challenge after a successful login.
    ///
    /// - Parameters:
    ///   - challenge: The challenge.
    ///   - clientAddress: The address of the client that logged in.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/cancelled``.
    public func consume(_ challenge: String, of clientAddress: String) async throws(LoginServerError) {
        try await challenges?.consume(challenge, of: clientAddress)
    }
}

extension ServerLoginMechanism where Self == TimestampedMechanism {
    /// Returns the timestamped login, with one-time challenges or bare minutes.
    ///
    /// - Parameters:
    ///   - keyPhrase: The key phrase of the protocol.
    ///   - usesBareMinutes: Whether challenges are bare minutes, as the oldest servers use.
    ///   - challengeKey: The key of one-time challenges, ``LoginChallengeIssuer/keyByteCount`` bytes, the same for all servers
    ///     that share their stores; `nil` for a new random key, so that none of them can have been used before.
    ///   - utcOffset: Returns the offset from UTC, less than 24 hours, of the clock whose minutes the clients expect.
    /// - Returns: The mechanism.
    /// - Throws: ``LoginServerError/outOfMemory``, ``LoginServerError/invalidConfiguration``.
    public static func timestamped(
        keyPhrase: some SecretInput,
        usesBareMinutes: Bool = false,
        challengeKey: SecretBytes? = nil,
        utcOffset: @escaping @Sendable (UnixTime) -> Duration = { _ in .zero }
    ) throws(LoginServerError) -> Self {
        TimestampedMechanism(
            verifier: try LoginVerifier(Legacy.TimestampedLogin(keyPhrase: keyPhrase)),
            challenges: usesBareMinutes ? nil : try LoginChallengeIssuer(key: challengeKey, store: nil),
            utcOffset: utcOffset
        )
    }
}
