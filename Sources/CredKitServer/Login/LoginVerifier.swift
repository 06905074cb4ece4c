// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// Checks the proofs of timestamped logins.
///
/// ```swift
/// let verifier = try LoginVerifier(Legacy.TimestampedLogin(keyPhrase: "itheima"))
/// switch verifier.verify(proof: posted, account: users[name], at: now, utcOffset: 8 * 3600) {
/// case .accepted(let proof): …           // ask a ReplayGuard whether it was used before
/// case .rejected: …                      // and never say why
/// }
/// ```
///
/// Every candidate is computed and compared, whichever of them matches, and a user who does not exist, or whose record
/// cannot check such a login, costs as much as one who does. A rejected proof costs as much as an accepted one. What is
/// posted may be anything: whatever is not a proof is rejected for the same work. Digits from `a` to `f` may be of either
/// case.
///
/// A verifier remembers nothing. A proof that was overheard is right as often as it is posted until its time is over,
/// unless a ``ReplayGuard`` is asked. ``LoginGate`` has everything in the right order.
///
/// > Warning: See ``CredKit/Legacy/TimestampedLogin`` for what such a login cannot do: it does not replace TLS.
public struct LoginVerifier: Sendable {
    /// The largest ``windowMinutes``.
    public static let maximumWindowMinutes = 15

    /// By how many minutes the minute of a proof may differ from the server's, in either direction.
    public let windowMinutes: Int

    private let scheme: Legacy.TimestampedLogin
    /// Stands in for a user who does not exist. Random, so that nobody can know a proof of it.
    private let nobody: MessageDigest<16>
    private let minutes: MinuteCandidates

    /// A verifier.
    ///
    /// - Parameters:
    ///   - scheme: The scheme with the protocol's key phrase.
    ///   - windowMinutes: By how many minutes a client's clock may differ, from 0 to ``maximumWindowMinutes``. Every
    ///     minute more is a minute more in which an overheard proof is right.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(_ scheme: Legacy.TimestampedLogin, windowMinutes: Int = 2) throws(LoginServerError) {
        try LoginServerError.check("the window in minutes", windowMinutes, in: 0...Self.maximumWindowMinutes)
        self.scheme = scheme
        self.windowMinutes = windowMinutes
        minutes = MinuteCandidates(window: windowMinutes)
        nobody = scheme.passwordEquivalent(for: SecureRandom.bytes(count: 16))
    }

    /// Checks a proof that was made for a bare minute.
    ///
    /// - Parameters:
    ///   - proof: What the client posted as its password.
    ///   - account: The user, `nil` if there is none.
    ///   - now: Seconds since 1970-01-01 00:00:00 UTC.
    ///   - utcOffset: How far the clock whose minutes the clients use is ahead of UTC, in seconds, less than 24 hours;
    ///     with more, everything is rejected. A zone without summer time is best: see ``ReplayGuard``.
    /// - Returns: The answer.
    public func verify(
        proof: String,
        account: LoginAccount?,
        at now: Int64,
        utcOffset: Int = 0
    ) -> LoginVerification {
        let wallTime = UnixTime.clamp(now) + Int64(utcOffset.magnitude < 86_400 ? utcOffset : 0)
        let candidates = utcOffset.magnitude < 86_400 ? minutes.around(wallTime) : []
        return examine(proof, account, candidates, at: wallTime).verification
    }

    /// Checks a proof that was made for one of some one-time texts.
    ///
    /// - Parameters:
    ///   - proof: What the client posted as its password.
    ///   - account: The user, `nil` if there is none.
    ///   - texts: The texts that the proof may be for: those of ``OneTimeTexts/candidates(for:broughtBack:at:)``. Each
    ///     costs one HMAC-MD5.
    ///   - now: Seconds since 1970-01-01 00:00:00 UTC.
    /// - Returns: The answer.
    public func verify(
        proof: String,
        account: LoginAccount?,
        texts: [OneTimeText],
        at now: Int64
    ) -> LoginVerification {
        let now = UnixTime.clamp(now)
        let candidates = texts.filter { $0.isValid(at: now) }.map { LoginCandidate($0) }
        return examine(proof, account, candidates, at: now).verification
    }

    /// Checks a proof that was made for a bare minute, of a user who is looked up first.
    ///
    /// - Parameters:
    ///   - proof: What the client posted as its password.
    ///   - username: What the client posted as its user name.
    ///   - now: Seconds since 1970-01-01 00:00:00 UTC.
    ///   - utcOffset: How far the clock whose minutes the clients use is ahead of UTC, in seconds.
    ///   - lookup: Finds a user by name; `nil` if there is none.
    /// - Returns: The answer.
    /// - Throws: What `lookup` threw.
    public func verify<Failure: Error>(
        proof: String,
        username: String,
        at now: Int64,
        utcOffset: Int = 0,
        lookup: (String) async throws(Failure) -> LoginAccount?
    ) async throws(Failure) -> LoginVerification {
        verify(proof: proof, account: try await lookup(username), at: now, utcOffset: utcOffset)
    }

    /// The answer, and how many proofs were computed for it.
    func examine(
        _ proof: String,
        _ account: LoginAccount?,
        _ candidates: [LoginCandidate],
        at time: Int64
    ) -> (verification: LoginVerification, computations: Int) {
        let posted = Legacy.TimestampedLogin.proof(hex: proof)
        // Nothing below depends on whether there is such a user, save the answer.
        let equivalent = account?.record.passwordEquivalent
        let compared = posted ?? nobody
        let matching = scheme.index(
            ofProof: compared,
            passwordEquivalent: equivalent ?? nobody,
            among: candidates.count,
            timeText: { candidates[$0].timeText }
        )
        guard !candidates.isEmpty else { return (.rejected, 0) }
        // A rejected proof costs what an accepted one does, whether there is such a user or not.
        let isRight = matching != nil && equivalent != nil && posted != nil
        let name = (isRight ? account?.name : nil) ?? Self.standInName
        let candidate = candidates[matching ?? 0]
        let replayKey = candidate.replayKey(accountName: name, proof: compared)
        guard isRight else { return (.rejected, candidates.count) }
        let verified = VerifiedProof(
            accountName: name,
            timeText: candidate.timeText,
            replayKey: replayKey,
            acceptableFrom: candidate.acceptableFrom,
            acceptableUntil: candidate.acceptableUntil,
            verifiedAt: time
        )
        return (.accepted(verified), candidates.count)
    }

    /// Stands in for the name of a user whose proof is rejected. Short names, as most are, take one block of the hash.
    private static let standInName = "nobody"
}
