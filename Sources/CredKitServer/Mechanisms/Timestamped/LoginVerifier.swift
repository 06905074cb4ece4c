// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
internal import CredKitSystem

/// Verifies the proofs of timestamped logins.
///
/// ```swift
/// let verifier = try LoginVerifier(Legacy.TimestampedLogin(keyPhrase: "school-2012"))
/// switch verifier.verify(proof: posted, account: users[name], utcOffset: .seconds(8 * 3600)) {
/// case .accepted(let proof): …           // ask a ReplayGuard whether it was used before
/// case .rejected: …                      // do not say why
/// }
/// ```
///
/// Every candidate is computed and compared, whichever of them matches. A user who does not exist, or whose credential does
/// not support such a login, costs as much as one who does. A rejected proof costs as much as an accepted one. The
/// posted text may be anything: a text that is not a proof is rejected for the same cost. The digits `a` to `f` may be
/// in either case.
///
/// A verifier remembers nothing. A recorded proof stays valid until it expires, unless a ``ReplayGuard`` is asked.
/// ``LoginService`` combines all parts in the right order.
///
/// > Warning: See ``CredKit/Legacy/TimestampedLogin`` for the limits of such a login: it does not replace TLS.
public struct LoginVerifier: Sendable {
    /// The largest allowed ``windowMinutes``.
    public static let maximumWindowMinutes = 15

    /// The number of minutes by which the minute of a proof may differ from the server's, in either direction.
    public let windowMinutes: Int

    private let scheme: Legacy.TimestampedLogin
    /// Stands in for a user who does not exist. It is random, so that no client can compute a proof of it.
    private let unknownEquivalent: MessageDigest<16>
    private let minutes: MinuteCandidates

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - scheme: The scheme with the protocol's key phrase.
    ///   - windowMinutes: The number of minutes by which a client's clock may differ, from 0 to
    ///     ``maximumWindowMinutes``. Each additional minute extends the time in which a recorded proof is valid.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(_ scheme: Legacy.TimestampedLogin, windowMinutes: Int = 2) throws(LoginServerError) {
        try LoginServerError.check("the window in minutes", windowMinutes, in: 0...Self.maximumWindowMinutes)
        self.scheme = scheme
        self.windowMinutes = windowMinutes
        minutes = MinuteCandidates(window: windowMinutes)
        unknownEquivalent = scheme.passwordEquivalent(for: SecureRandom.bytes(count: 16))
    }

    /// Verifies a proof for a bare minute.
    ///
    /// - Parameters:
    ///   - proof: The password field that the client posted.
    ///   - account: The user; `nil` if there is none.
    ///   - now: The current time.
    ///   - utcOffset: The offset from UTC of the clock whose minutes the clients use, less than 24 hours; with a larger
    ///     offset every proof is rejected. Prefer a zone without daylight saving time: see
    ///     ``ReplayGuard``.
    /// - Returns: The result.
    public func verify(
        proof: String,
        account: LoginAccount?,
        at now: UnixTime = .now,
        utcOffset: Duration = .zero
    ) -> LoginVerification {
        guard let wallTime = WallTime.seconds(at: now, utcOffset: utcOffset) else { return .rejected }
        return examine(proof, account, minutes.around(wallTime), at: wallTime).verification
    }

    /// Verifies a proof for one of several one-time challenges.
    ///
    /// - Parameters:
    ///   - proof: The password field that the client posted.
    ///   - account: The user; `nil` if there is none.
    ///   - challenges: The challenges that the proof may be for: the result of
    ///     ``LoginChallengeIssuer/candidates(for:returned:at:)``. Each costs one HMAC-MD5.
    ///   - now: The current time.
    /// - Returns: The result.
    public func verify(
        proof: String,
        account: LoginAccount?,
        challenges: [LoginChallenge],
        at now: UnixTime = .now
    ) -> LoginVerification {
        let candidates = challenges.filter { $0.isValid(at: now) }.map { LoginCandidate($0) }
        return examine(proof, account, LoginCandidates(candidates), at: now.seconds).verification
    }

    /// Looks a user up and verifies a proof for a bare minute.
    ///
    /// - Parameters:
    ///   - proof: The password field that the client posted.
    ///   - username: The user name that the client posted.
    ///   - now: The current time.
    ///   - utcOffset: The offset from UTC of the clock whose minutes the clients use.
    ///   - lookup: Finds a user by name; returns `nil` if there is none.
    /// - Returns: The result.
    /// - Throws: The error that `lookup` threw.
    public func verify<Failure: Error>(
        proof: String,
        username: String,
        at now: UnixTime = .now,
        utcOffset: Duration = .zero,
        lookup: (String) async throws(Failure) -> LoginAccount?
    ) async throws(Failure) -> LoginVerification {
        verify(proof: proof, account: try await lookup(username), at: now, utcOffset: utcOffset)
    }

    /// Returns the result, and the number of proofs that were computed for it.
    func examine(
        _ proof: String,
        _ account: LoginAccount?,
        _ candidates: LoginCandidates,
        at time: Int64
    ) -> (verification: LoginVerification, computations: Int) {
        let posted = Legacy.TimestampedLogin.proof(hex: proof)
        // From here on only the result depends on whether the user exists.
        let equivalent = account?.credential.passwordEquivalent
        let compared = posted ?? unknownEquivalent
        let matching = scheme.index(
            ofProof: compared,
            passwordEquivalent: equivalent ?? unknownEquivalent,
            among: candidates.challenges
        )
        guard !candidates.list.isEmpty else { return (.rejected, 0) }
        // A rejected proof costs as much as an accepted one, whether the user exists or not.
        let isRight = matching != nil && equivalent != nil && posted != nil
        let name = (isRight ? account?.name : nil) ?? Self.standInName
        let candidate = candidates.list[matching ?? 0]
        let replayKey = candidate.replayKey(accountName: name, proof: compared)
        guard isRight else { return (.rejected, candidates.list.count) }
        let verified = VerifiedProof(
            accountName: name,
            challenge: candidate.challenge,
            replayKey: replayKey,
            validFrom: candidate.validFrom,
            validUntil: candidate.validUntil,
            verifiedAt: time
        )
        return (.accepted(verified), candidates.list.count)
    }

    /// Stands in for the name of a user whose proof is rejected. Short names, like most names, take one block of the
    /// hash.
    private static let standInName = "unknown"
}

/// Caches the candidates of the last minute: formatting them takes longer than computing the proofs.
final class MinuteCandidates: Sendable {
    private struct Last: Sendable {
        var minute: Int64?
        var candidates = LoginCandidates([])
    }

    private let window: Int
    private let last = Lock(Last())

    init(window: Int) {
        self.window = window
    }

    /// Returns the minutes around the server's local time, which is given in seconds as if it were UTC.
    func around(_ wallTime: Int64) -> LoginCandidates {
        let minute = Int64(Int(wallTime).flooredQuotientAndRemainder(dividingBy: 60).quotient)
        return last.withLock { last in
            if last.minute != minute {
                last = Last(
                    minute: minute,
                    candidates: LoginCandidates(LoginCandidate.minutes(around: wallTime, window: window))
                )
            }
            return last.candidates
        }
    }
}

/// The time that a clock with an offset from UTC shows, in seconds as if it were UTC.
enum WallTime {
    /// Returns the time of a clock; `nil` if the offset is 24 hours or more. The time is clamped to the years 1970 to
    /// 6325, so that arithmetic with minutes cannot overflow: the clock of a machine may have any value.
    static func seconds(at now: UnixTime, utcOffset: Duration) -> Int64? {
        guard utcOffset > .seconds(-86_400), utcOffset < .seconds(86_400) else { return nil }
        return min(max(now.seconds, 0), 1 << 37) + utcOffset.components.seconds
    }
}
