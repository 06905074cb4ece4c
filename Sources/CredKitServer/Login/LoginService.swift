// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// The logins of a server, by one or several mechanisms: each login goes through the same rate limits, user lookup,
/// replay check, second step and delay of rejections, in the order that makes it secure.
///
/// ```swift
/// let service = try LoginService(
///     accounts: users,
///     mechanisms: [.timestamped(keyPhrase: "school-2012"), .password(passwords)],
///     storage: .memory(isFirstStart: true)
/// )
/// let attempt = LoginAttempt(username: name, response: password, clientAddress: ClientAddress.rateLimitKey(for: peer))
/// let result = try await service.logInReturningAnswer(with: PasswordMechanism.name, attempt, issuingSession: true)
/// switch result.decision {
/// case .accepted: let token = result.session               // its text goes into a cookie; nil if the store is full
/// default: …
/// }
/// ```
///
/// A login is decided by the mechanism that the caller names, and by no other. For a mechanism of your own see
/// ``ServerLoginMechanism``; for one-time codes see ``LoginSecondStep``.
public struct LoginService: Sendable {
    let accounts: any LoginAccounts
    let mechanisms: [RegisteredMechanism]
    let limiter: RateLimiter
    var secondStep: (any LoginSecondStep)?
    /// Remembers what a second step accepts once.
    let codes: ReplayGuard
    let rejectionDelay: RejectionDelay
    let clock: StoreClock
    var mechanismUse: MechanismUse?
    let completion: any LoginCompletionStore
    let accountChanges: AccountConfiguration?

    /// Issues and checks the tokens of users who have logged in.
    public let sessions: SessionTokenStore

    /// Creates a login service.
    ///
    /// - Parameters:
    ///   - accounts: The users.
    ///   - mechanisms: The ways to log in, each with a name of its own.
    ///   - storage: The stores, for this service alone.
    ///   - configuration: The limits.
    ///   - secondStep: What users must send besides; `nil` for nothing. With a ``PasskeyMechanism``, a passkey takes its place.
    ///   - mechanismUse: Counts who logs in by which mechanism; `nil` to count nothing.
    ///   - accountChanges: What changes of passwords need; `nil` if users cannot change theirs. The accounts must then be
    ///     ``WritableAccounts``, and no mechanism may need another credential than a hash.
    ///   - start: The time of the start, so that a clock that is set back later does not make acceptable what an earlier
    ///     process has accepted.
    ///   - clock: The clock that measures waits. Tests can pass a clock of their own.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(
        accounts: any LoginAccounts,
        mechanisms: [any ServerLoginMechanism],
        storage: LoginStorage,
        configuration: LoginConfiguration = LoginConfiguration(),
        secondStep: (any LoginSecondStep)? = nil,
        mechanismUse: MechanismUse? = nil,
        accountChanges: AccountConfiguration? = nil,
        startedAt start: UnixTime = .now,
        clock: some Clock<Duration> = ContinuousClock()
    ) throws(LoginServerError) {
        try configuration.check()
        try accountChanges?.check(accounts, mechanisms)
        // A clock of a machine may have any value.
        let start = UnixTime(min(max(start.seconds, 0), 1 << 37))
        self.accounts = accounts
        self.mechanisms = try RegisteredMechanism.list(
            mechanisms,
            storage: storage,
            startedAt: start,
            clock: clock
        )
        limiter = RateLimiter(
            account: configuration.accountLimit,
            clientAddress: configuration.clientLimit,
            store: storage.rates
        )
        self.clock = StoreClock(clock)
        if let passkeys = self.mechanisms.passkeys {
            self.secondStep = PasskeySecondStep(passkeys.mechanism, codes: secondStep, clock: self.clock)
        } else {
            self.secondStep = secondStep
        }
        self.mechanismUse = mechanismUse
        codes = ReplayGuard(store: storage.replays, startedAt: start, clock: clock)
        rejectionDelay = RejectionDelay(interval: configuration.rejectionInterval)
        sessions = try SessionTokenStore(limits: configuration.sessionLimits, store: storage.sessions)
        completion = storage.completion
        self.accountChanges = accountChanges
    }

    /// Creates a service for timestamped logins only, whose users are looked up by
    /// ``logIn(username:proof:clientAddress:returned:at:utcOffset:lookup:)``.
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
        let mechanism = TimestampedMechanism(verifier: verifier, challenges: challenges)
        accounts = InMemoryAccounts([])
        mechanisms = [RegisteredMechanism(name: mechanism.name, mechanism: mechanism, replays: replays)]
        self.limiter = limiter
        secondStep = nil
        mechanismUse = nil
        codes = replays
        rejectionDelay = .none
        clock = StoreClock(ContinuousClock())
        sessions = SessionTokenStore()
        completion = SequentialCompletion(
            replays: replays.store,
            rates: limiter.store,
            sessions: sessions.store
        )
        accountChanges = nil
    }

    /// Returns the challenge of a mechanism for the next login of a client. Limit the requests of each address with a
    /// ``RateLimiter``.
    ///
    /// - Parameters:
    ///   - mechanism: The name of the mechanism.
    ///   - clientAddress: The address of the client: see ``ClientAddress``.
    ///   - now: The current time.
    /// - Returns: The challenge; `nil` if the mechanism issues none, or if there is no such mechanism.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/mechanismFailed``,
    ///   ``LoginServerError/cancelled``, ``LoginServerError/timeOutOfRange`` of a timestamped login.
    public func challenge(
        of mechanism: String,
        for clientAddress: String,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> String? {
        guard let registered = mechanisms.named(mechanism) else { return nil }
        return try await registered.wrapping {
            try await registered.mechanism.challenge(for: clientAddress, at: now)
        }
    }

    /// Processes a login.
    ///
    /// - Parameters:
    ///   - mechanism: The name of the mechanism that decides.
    ///   - attempt: What the client sent.
    ///   - now: The current time.
    /// - Returns: The decision.
    /// - Throws: An error means that no user is logged in: answer 503. ``LoginServerError/storeFailed`` if a store threw,
    ///   ``LoginServerError/lookupFailed`` if the lookup of the user threw, ``LoginServerError/mechanismFailed`` if the
    ///   mechanism or the second step threw, ``LoginServerError/cancelled`` if the task was cancelled.
    public func logIn(
        with mechanism: String,
        _ attempt: LoginAttempt,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> LoginDecision {
        try await logInReturningAnswer(with: mechanism, attempt, at: now).decision
    }

    /// Processes a login, and returns what the mechanism tells the client as well.
    ///
    /// - Parameters:
    ///   - mechanism: The name of the mechanism that decides.
    ///   - attempt: What the client sent.
    ///   - issuesSession: Whether to create a session if the login is accepted. A shared storage does so in the step that accepts
    ///     the login, without a further wait.
    ///   - now: The current time.
    /// - Returns: The decision, with the answer of the mechanism and the session.
    /// - Throws: As for ``logIn(with:_:at:)``.
    public func logInReturningAnswer(
        with mechanism: String,
        _ attempt: LoginAttempt,
        issuingSession issuesSession: Bool = false,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> LoginResult {
        guard let registered = mechanisms.named(mechanism) else { return LoginResult(.unknownMechanism) }
        return try await decide(attempt, with: registered, at: now, issuingSession: issuesSession) {
            try await accounts.account(named: $0)
        }
    }
}

/// Delays rejections to whole multiples of an interval, so that they do not show why they were made.
struct RejectionDelay: Sendable {
    /// No delay at all.
    static let none = RejectionDelay(interval: .zero)

    let interval: Duration

    /// Longer than a timer is late on a machine that is not busy.
    private static let lateness = Duration.microseconds(200)

    /// Waits until a rejection may be answered of an attempt that began at `start`.
    ///
    /// The end of the interval, a tenth of all but short ones, is a wait of its own, the same for all rejections: how late a timer
    /// fires depends on how long it runs, and so on how long the decision took.
    func wait(since start: Duration, on clock: StoreClock) async throws {
        let last = min(interval / 2, max(interval / 10, Self.lateness))
        let step = interval.clamped.microseconds
        guard step > 0 else { return }
        let decided = (clock.elapsed - start + last).clamped.microseconds
        let end = start + .microseconds((decided / step + 1) * step)
        try await clock.sleep(until: end - last)
        try await clock.sleep(until: end)
    }
}
