// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
public import CredKit

/// A complete timestamped login, in the order that makes it secure: rate limits, user lookup, proof verification, and
/// replay check.
///
/// ```swift
/// let service = LoginService(
///     verifier: try LoginVerifier(Legacy.TimestampedLogin(keyPhrase: "itheima")),
///     challenges: try LoginChallengeIssuer(),
///     replays: ReplayGuard(store: try InMemoryReplayStore(), startedAt: nil),
///     limiter: try RateLimiter()
/// )
/// let key = try service.challenge(for: source, at: now)                      // GET /hmackey.php
/// switch await service.logIn(username: name, proof: password, source: source, at: now, lookup: users.find) {
/// case .accepted(let user): …                                            // POST /loginhmac.php
/// default: …
/// }
/// ```
public struct LoginService: Sendable {
    private let verifier: LoginVerifier
    private let challenges: LoginChallengeIssuer?
    private let replays: ReplayGuard
    private let limiter: RateLimiter

    /// Creates a login service.
    ///
    /// - Parameters:
    ///   - verifier: Verifies the proofs.
    ///   - challenges: Issues one-time challenges; `nil` for bare minutes, as the oldest servers use.
    ///   - replays: Remembers the proofs, for this service alone. For bare minutes, pass it the time of the start.
    ///   - limiter: Counts the attempts. It may be shared with other ways to log in.
    public init(
        verifier: LoginVerifier,
        challenges: LoginChallengeIssuer?,
        replays: ReplayGuard,
        limiter: RateLimiter
    ) {
        self.verifier = verifier
        self.challenges = challenges
        self.replays = replays
        self.limiter = limiter
    }

    /// Returns the challenge for a client.
    ///
    /// - Parameters:
    ///   - source: The client: see ``ClientAddress``.
    ///   - now: Seconds since 1970-01-01 00:00:00 UTC.
    ///   - utcOffset: The offset from UTC of the clock whose minutes the clients expect, in seconds.
    /// - Returns: A one-time challenge or a bare minute.
    /// - Throws: ``CredKit/Legacy/TimestampedLogin/Minute/ParseError``.
    public func challenge(
        for source: String,
        at now: Int64,
        utcOffset: Int = 0
    ) throws(Legacy.TimestampedLogin.Minute.ParseError) -> String {
        if let challenges { return try challenges.issue(to: source, at: now, utcOffset: utcOffset) }
        return try Legacy.TimestampedLogin.Minute(unixTime: now, utcOffset: utcOffset).description
    }

    /// Processes a login.
    ///
    /// - Parameters:
    ///   - username: The posted user name, in the form that the user table compares: see ``RateLimiter``.
    ///   - proof: The posted password field.
    ///   - source: The origin of the request: see ``ClientAddress``.
    ///   - returned: The one-time challenge that the client returned, if any.
    ///   - now: Seconds since 1970-01-01 00:00:00 UTC.
    ///   - utcOffset: As for ``challenge(for:at:utcOffset:)``.
    ///   - lookup: Finds a user by name; returns `nil` if there is none. It should take the same time in both cases.
    /// - Returns: The decision.
    /// - Throws: The error that `lookup` threw.
    public func logIn<Failure: Error>(
        username: String,
        proof: String,
        source: String,
        returned: String? = nil,
        at now: Int64,
        utcOffset: Int = 0,
        lookup: (String) async throws(Failure) -> LoginAccount?
    ) async throws(Failure) -> LoginDecision {
        if case .limited(let seconds) = limiter.recordAttempt(account: username, source: source, at: now) {
            return .limited(retryAfter: seconds)
        }
        let account = try await lookup(username)
        let verification: LoginVerification
        if let challenges {
            let candidates = challenges.candidates(for: source, returned: returned, at: now)
            verification = verifier.verify(proof: proof, account: account, challenges: candidates, at: now)
        } else {
            verification = verifier.verify(proof: proof, account: account, at: now, utcOffset: utcOffset)
        }
        guard case .accepted(let verified) = verification else { return .rejected }
        switch await replays.markUsed(verified) {
        case .accepted:
            challenges?.consume(verified.challenge, of: source)
            limiter.reset(account: username)
            return .accepted(user: verified.accountName)
        case .replayed:
            // A client can get a new challenge at once, but a new minute only when it begins.
            guard challenges == nil else { return .rejected }
            let intoMinute = Int(verified.verifiedAt).flooredQuotientAndRemainder(dividingBy: 60).remainder
            return .replayed(retryAfter: 60 - intoMinute)
        case .unavailable(let seconds): return .unavailable(retryAfter: seconds)
        }
    }
}

/// The decision of a ``LoginService``.
public enum LoginDecision: Sendable, Hashable {
    /// The user is logged in.
    ///
    /// - Parameter user: The name in the server's table.
    case accepted(user: String)
    /// The login is invalid, for whatever reason: answer 401, or the status that the clients expect.
    case rejected
    /// The proof is correct, but was already used in its minute: answer 429. A second login of the same user in the
    /// same minute cannot be distinguished from a replay.
    ///
    /// - Parameter retryAfter: The seconds until the next minute.
    case replayed(retryAfter: Int)
    /// Too many attempts: answer 429.
    ///
    /// - Parameter retryAfter: The seconds to wait.
    case limited(retryAfter: Int)
    /// The service cannot determine whether the proof was used before: answer 503.
    ///
    /// - Parameter retryAfter: The seconds to wait.
    case unavailable(retryAfter: Int)
}
