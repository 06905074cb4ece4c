// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// A complete timestamped login, in the order that makes it secure: rate limits, user lookup, proof verification, and
/// replay check.
///
/// ```swift
/// let service = LoginService(
///     verifier: try LoginVerifier(Legacy.TimestampedLogin(keyPhrase: "itheima")),
///     challenges: try LoginChallengeIssuer(),
///     replays: ReplayGuard(store: try InMemoryReplayStore(isFirstStart: true)),
///     limiter: RateLimiter()
/// )
/// let address = ClientAddress.rateLimitKey(for: peer)
/// let key = try await service.challenge(for: address)                               // GET /hmackey.php
/// switch try await service.logIn(username: name, proof: password, clientAddress: address, lookup: users.find) {
/// case .accepted(let user): …                                                     // POST /loginhmac.php
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
    ///   - replays: Remembers the proofs, for this service alone.
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
    ///   - clientAddress: The address of the client: see ``ClientAddress``.
    ///   - now: The current time.
    ///   - utcOffset: The offset from UTC of the clock whose minutes the clients expect, less than 24 hours.
    /// - Returns: A one-time challenge or a bare minute.
    /// - Throws: ``LoginServerError/timeOutOfRange``, ``LoginServerError/storeFailed``,
    ///   ``LoginServerError/cancelled``.
    public func challenge(
        for clientAddress: String,
        at now: UnixTime = .now,
        utcOffset: Duration = .zero
    ) async throws(LoginServerError) -> String {
        if let challenges {
            return try await challenges.issue(to: clientAddress, at: now, utcOffset: utcOffset)
        }
        return try LoginChallengeIssuer.minute(at: now, utcOffset: utcOffset).description
    }

    /// Processes a login.
    ///
    /// - Parameters:
    ///   - username: The posted user name, in the form that the user table compares: see ``RateLimiter``.
    ///   - proof: The posted password field.
    ///   - clientAddress: The address of the client: see ``ClientAddress``.
    ///   - returned: The one-time challenge that the client returned, if any.
    ///   - now: The current time.
    ///   - utcOffset: As for ``challenge(for:at:utcOffset:)``.
    ///   - lookup: Finds a user by name; returns `nil` if there is none. It should take the same time in both cases.
    /// - Returns: The decision.
    /// - Throws: An error means that no user is logged in: answer 503. ``LoginServerError/storeFailed`` if a store threw,
    ///   ``LoginServerError/lookupFailed`` if `lookup` threw, ``LoginServerError/cancelled`` if the task was cancelled.
    public func logIn(
        username: String,
        proof: String,
        clientAddress: String,
        returned: String? = nil,
        at now: UnixTime = .now,
        utcOffset: Duration = .zero,
        lookup: (String) async throws -> LoginAccount?
    ) async throws(LoginServerError) -> LoginDecision {
        let start = ContinuousClock.now
        let attempt = try await limiter.recordAttempt(account: username, clientAddress: clientAddress)
        if case .limited(let wait) = attempt { return .limited(retryAfter: wait) }
        let account = try await LoginServerError.wrapping(
            "the lookup of the user failed",
            code: .lookupFailed
        ) {
            try await lookup(username)
        }
        let verification: LoginVerification
        // The stores and the lookup may take seconds, in which a proof can expire and be forgotten.
        let waited = ContinuousClock.now - start
        let now = waited < .milliseconds(250) ? now : now + waited + .seconds(1)
        if let challenges {
            let candidates = try await challenges.candidates(for: clientAddress, returned: returned, at: now)
            verification = verifier.verify(proof: proof, account: account, challenges: candidates, at: now)
        } else {
            verification = verifier.verify(proof: proof, account: account, at: now, utcOffset: utcOffset)
        }
        guard case .accepted(let verified) = verification else { return .rejected }
        switch try await replays.markUsed(verified) {
        case .accepted:
            // The proof is used up, so the login must not fail any more. A challenge that stays and an attempt that still
            // counts do no harm.
            try? await challenges?.consume(verified.challenge, of: clientAddress)
            try? await limiter.reset(account: username)
            return .accepted(user: verified.accountName)
        case .replayed:
            // A client can get a new challenge at once, but a new minute only when it begins.
            guard challenges == nil else { return .rejected }
            return .replayed(retryAfter: .seconds(60 - verified.secondInMinute))
        case .unavailable(let wait): return .unavailable(retryAfter: wait)
        }
    }
}
