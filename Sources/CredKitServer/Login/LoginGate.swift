// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
public import CredKit

/// The whole way of a timestamped login, in the order that makes it safe: the limits, the user, the proof, and whether
/// it is the first time.
///
/// ```swift
/// let gate = LoginGate(
///     verifier: try LoginVerifier(Legacy.TimestampedLogin(keyPhrase: "itheima")),
///     texts: try OneTimeTexts(),
///     replays: ReplayGuard(store: try InMemoryReplayStore(), startedAt: nil),
///     limiter: try RateLimiter()
/// )
/// let key = try gate.timeText(for: source, at: now)                      // GET /hmackey.php
/// switch await gate.logIn(username: name, proof: password, source: source, at: now, lookup: users.find) {
/// case .accepted(let user): …                                            // POST /loginhmac.php
/// default: …
/// }
/// ```
public struct LoginGate: Sendable {
    private let verifier: LoginVerifier
    private let texts: OneTimeTexts?
    private let replays: ReplayGuard
    private let limiter: RateLimiter

    /// A gate.
    ///
    /// - Parameters:
    ///   - verifier: Checks the proofs.
    ///   - texts: Issues one-time texts; `nil` for bare minutes, as the oldest servers have them.
    ///   - replays: Remembers the proofs, for this gate alone. For bare minutes it is told when it started.
    ///   - limiter: Counts the attempts; it may be shared with other ways to log in.
    public init(
        verifier: LoginVerifier,
        texts: OneTimeTexts?,
        replays: ReplayGuard,
        limiter: RateLimiter
    ) {
        self.verifier = verifier
        self.texts = texts
        self.replays = replays
        self.limiter = limiter
    }

    /// The time text that a client gets.
    ///
    /// - Parameters:
    ///   - source: Who gets it: see ``SourceAddress``.
    ///   - now: Seconds since 1970-01-01 00:00:00 UTC.
    ///   - utcOffset: How far the clock whose minutes the clients expect is ahead of UTC, in seconds.
    /// - Returns: A one-time text or a bare minute.
    /// - Throws: ``CredKit/LoginMinute/InvalidError``.
    public func timeText(
        for source: String,
        at now: Int64,
        utcOffset: Int = 0
    ) throws(LoginMinute.InvalidError) -> String {
        if let texts { return try texts.issue(to: source, at: now, utcOffset: utcOffset) }
        return try LoginMinute(unixTime: now, utcOffset: utcOffset).description
    }

    /// Decides about a login.
    ///
    /// - Parameters:
    ///   - username: What was posted as the user's name, made comparable: see ``RateLimiter``.
    ///   - proof: What was posted as the password.
    ///   - source: Where from: see ``SourceAddress``.
    ///   - broughtBack: The one-time text that the client brought back, if it did.
    ///   - now: Seconds since 1970-01-01 00:00:00 UTC.
    ///   - utcOffset: As for ``timeText(for:at:utcOffset:)``.
    ///   - lookup: Finds a user by name; `nil` if there is none. Let that take as long as to find one.
    /// - Returns: The decision.
    /// - Throws: What `lookup` threw.
    public func logIn<Failure: Error>(
        username: String,
        proof: String,
        source: String,
        broughtBack: String? = nil,
        at now: Int64,
        utcOffset: Int = 0,
        lookup: (String) async throws(Failure) -> LoginAccount?
    ) async throws(Failure) -> LoginDecision {
        if case .limited(let seconds) = limiter.admit(account: username, source: source, at: now) {
            return .limited(retryAfter: seconds)
        }
        let account = try await lookup(username)
        let verification: LoginVerification
        if let texts {
            let candidates = texts.candidates(for: source, broughtBack: broughtBack, at: now)
            verification = verifier.verify(proof: proof, account: account, texts: candidates, at: now)
        } else {
            verification = verifier.verify(proof: proof, account: account, at: now, utcOffset: utcOffset)
        }
        guard case .accepted(let verified) = verification else { return .rejected }
        switch await replays.admit(verified) {
        case .first:
            texts?.consume(verified.timeText, of: source)
            limiter.reset(account: username)
            return .accepted(user: verified.accountName)
        case .replayed:
            // A new text is to be had at once, and a new minute when it begins.
            guard texts == nil else { return .rejected }
            let intoMinute = Int(verified.verifiedAt).flooredQuotientAndRemainder(dividingBy: 60).remainder
            return .replayed(retryAfter: 60 - intoMinute)
        case .unavailable(let seconds): return .unavailable(retryAfter: seconds)
        }
    }
}

/// What a ``LoginGate`` decides.
public enum LoginDecision: Sendable, Hashable {
    /// The user is logged in.
    ///
    /// - Parameter user: The name that the server's table has.
    case accepted(user: String)
    /// Wrong, whatever it is that is wrong: 401, or what the clients expect.
    case rejected
    /// The proof is right, and was used before in its minute. Another login of the same user in the same minute is
    /// told from that by nothing: 429.
    ///
    /// - Parameter retryAfter: The seconds until the next minute.
    case replayed(retryAfter: Int)
    /// Too many attempts: 429.
    ///
    /// - Parameter retryAfter: The seconds to wait.
    case limited(retryAfter: Int)
    /// It cannot be said whether the proof was used before: 503.
    ///
    /// - Parameter retryAfter: The seconds to wait.
    case unavailable(retryAfter: Int)
}
