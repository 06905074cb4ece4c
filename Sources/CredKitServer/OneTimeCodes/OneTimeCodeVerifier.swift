// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// Verifies one-time codes, the second step of a login: each of them once, and few guesses.
///
/// ```swift
/// let verifier = try OneTimeCodeVerifier(replayStore: storage.replays, rateStore: storage.rates)
/// let key = try OneTimeCodeKey(uri: decrypted)                       // from the table of users
/// switch try await verifier.verify(posted, account: "alice", key: key) {
/// case .accepted: …                                                  // log in
/// case .limited(let wait): …                                         // 429 with Retry-After
/// default: …                                                         // 401, always the same
/// }
/// ```
///
/// Call it after the password was verified: otherwise everyone can use up the attempts of an account. Create one and share
/// it. Servers that share accounts must share its stores; their clocks may differ by 5 seconds.
///
/// ## Time
/// A code of TOTP is accepted from `after` periods before its own until `before` periods after it. With a code, all older
/// ones are used up. The store keeps a used code until it can be accepted no longer; each login marks up to `before` + 1
/// of them. After a start with an empty store, codes from before it are
/// ``OneTimeCodeVerification/unavailable(retryAfter:)``: for about a minute with an ``InMemoryReplayStore``, unless it is
/// the first start.
///
/// The clock of a device can drift away by more than the window. Set `maximumDrift`, store the drift that
/// ``OneTimeCodeVerification/accepted(drift:)`` returns with the user, and pass it to the next
/// ``verify(_:account:key:drift:at:)`` (RFC 6238 §6): the window moves with the device.
///
/// ## Counters
/// A code of HOTP is accepted if its counter is the next one or one of the `lookAhead` following ones, because people
/// request codes that they do not use. The ``OneTimeCodeCounterStore`` moves behind it. A device that is farther ahead is
/// found again with ``resynchronize(_:account:key:)``.
///
/// ## Guesses
/// Every attempt is counted for the account before anything is compared, and a success makes all attempts available again.
/// The limit decides how safe codes of 6 digits are: see ``RateLimit/standardPerOneTimeCode``.
///
/// All codes of the window are computed and compared, each in constant time.
public struct OneTimeCodeVerifier: Sendable {
    /// How far the clocks of servers may differ, in seconds.
    static let clockTolerance: Int64 = 5

    let before, after, maximumDrift, lookAhead: UInt64
    let replays: ReplayGuard
    let counters: (any OneTimeCodeCounterStore)?
    let clock: StoreClock
    private let limit: RateLimit
    private let attempts: any RateStore

    /// Creates a verifier.
    ///
    /// - Parameters:
    ///   - before: The number of earlier periods whose codes are accepted, from 0 to 10.
    ///   - after: The number of later periods whose codes are accepted, from 0 to 10.
    ///   - maximumDrift: The number of periods that the window may move with the clock of a device, from 0 to 20. The store
    ///     keeps codes longer by twice as many periods.
    ///   - lookAhead: For keys with a counter, the number of codes that may be skipped, from 0 to 100.
    ///   - replayStore: The store of the used codes.
    ///   - rateStore: The store of the attempts. With an ``InMemoryRateStore`` each process grants all attempts, and again after
    ///     a restart.
    ///   - counterStore: The store of the counters; `nil` if there are no keys with a counter.
    ///   - limit: The limit of attempts of each account.
    ///   - startedAt: The time of the start, so that a clock that is set back later does not make codes acceptable that an
    ///     earlier process has accepted.
    ///   - clock: The clock that measures how long codes are stored. Tests can pass a clock of their own.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(
        before: Int = 1,
        after: Int = 1,
        maximumDrift: Int = 0,
        lookAhead: Int = 10,
        replayStore: any ReplayStore,
        rateStore: any RateStore,
        counterStore: (any OneTimeCodeCounterStore)? = nil,
        limit: RateLimit = .standardPerOneTimeCode,
        startedAt: UnixTime = .now,
        clock: some Clock<Duration> = ContinuousClock()
    ) throws(LoginServerError) {
        try LoginServerError.check("the number of earlier periods", before, in: 0...10)
        try LoginServerError.check("the number of later periods", after, in: 0...10)
        try LoginServerError.check("the maximum drift", maximumDrift, in: 0...20)
        try LoginServerError.check("the number of codes that may be skipped", lookAhead, in: 0...100)
        self.before = UInt64(before)
        self.after = UInt64(after)
        self.maximumDrift = UInt64(maximumDrift)
        self.lookAhead = UInt64(lookAhead)
        // A clock of a machine may have any value.
        let start = UnixTime(min(max(startedAt.seconds, 0), 1 << 37))
        replays = ReplayGuard(store: replayStore, startedAt: start, clock: clock)
        counters = counterStore
        self.limit = limit
        attempts = rateStore
        self.clock = StoreClock(clock)
    }

    /// Verifies a code, and marks it as used.
    ///
    /// - Parameters:
    ///   - code: The posted text.
    ///   - account: The name of the account, in the form that the user table compares: see ``RateLimiter``. If an account
    ///     has several keys, a name for each of them, with the same number of attempts.
    ///   - key: The key of the account.
    ///   - drift: For a key with the time, the drift that was returned last; 0 for none.
    ///   - now: The current time.
    /// - Returns: The decision.
    /// - Throws: An error means that the code is not accepted: answer 503. ``LoginServerError/storeFailed`` if a store
    ///   threw, ``LoginServerError/cancelled``, ``LoginServerError/timeOutOfRange`` for a time before 1970,
    ///   ``LoginServerError/invalidConfiguration`` for a key with a counter without a store of counters.
    public func verify(
        _ code: String,
        account: String,
        key: OneTimeCodeKey,
        drift: Int = 0,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> OneTimeCodeVerification {
        guard let code = OneTimeCode(code), code.digitCount == key.digitCount else { return .malformed }
        let start = clock.elapsed
        if let wait = try await recordAttempt(account) { return .limited(retryAfter: wait) }
        // The store may take seconds, in which a code can expire.
        let waited = clock.elapsed - start
        let now = waited < .milliseconds(250) ? now : now + waited + .seconds(1)
        let result =
            switch key.kind {
            case .time(let period):
                try await verify(code, account, key, period: period.components.seconds, drift: drift, at: now)
            case .counter(let next):
                try await verify([code], account, key, next: next, lookAhead: lookAhead)
            }
        switch result {
        // A right code that cannot be accepted now was no guess.
        case .accepted, .unavailable: await resetAttempts(account)
        default: break
        }
        return result
    }

    /// Counts an attempt. Returns the time to wait if there are too many.
    func recordAttempt(_ account: String) async throws(LoginServerError) -> Duration? {
        let result = try await LoginServerError.wrapping("the rate store failed") {
            // Without the shared store no code can be accepted either, so a share of each server would be more guesses alone.
            try await attempts.charge([
                RateCharge(Self.attemptKey(account), limit: limit, mustBeShared: true)
            ])
        }
        guard case .limited(let wait) = result else { return nil }
        return wait.retryAfter
    }

    /// Makes all attempts available again. The code is used up, so a failure must not reject it.
    func resetAttempts(_ account: String) async {
        try? await attempts.reset(Self.attemptKey(account))
    }

    private static func attemptKey(_ account: String) -> StoreKey {
        StoreKey("one-time code attempts", account)
    }
}

extension OneTimeCodeVerifier {
    /// Verifies a code of TOTP.
    func verify(
        _ code: OneTimeCode,
        _ account: String,
        _ key: OneTimeCodeKey,
        period: Int64,
        drift: Int,
        at now: UnixTime
    ) async throws(LoginServerError) -> OneTimeCodeVerification {
        // Far enough from the ends of the range for all sums below.
        guard 0...(1 << 40) ~= now.seconds else {
            throw LoginServerError(
                .timeOutOfRange,
                message: "cannot verify a one-time code: the time is before 1970 or too late"
            )
        }
        let bound = Int64(maximumDrift)
        let step = now.seconds / period
        let center = step + min(max(Int64(drift), -bound), bound)
        let first = max(center - Int64(before), 0)
        let last = center + Int64(after)
        guard last >= 0,
            let found = key.counters(of: code, in: UInt64(first)...UInt64(last))
        else { return .rejected }
        let used = Int64(found.upperBound)
        // Older codes first: if the process ends in between, none of them is left. A store that cannot mark one cannot
        // accept it later either.
        for older in first..<used {
            _ = try await replays.markUsed(use(of: older, account, period: period, at: now))
        }
        switch try await replays.markUsed(use(of: used, account, period: period, at: now)) {
        case .accepted: return .accepted(drift: Int(min(max(used - step, -bound), bound)))
        case .replayed: return .replayed
        case .unavailable(let wait): return .unavailable(retryAfter: wait)
        }
    }

    /// The use of a code: from the first to the last moment at which any drift makes it acceptable.
    private func use(of step: Int64, _ account: String, period: Int64, at now: UnixTime) -> SingleUse {
        let earliest = (step - Int64(after + maximumDrift)) * period
        let latest = (step + 1 + Int64(before + maximumDrift)) * period
        return SingleUse(
            key: StoreKey("one-time code", account, "\(period)", "\(step)"),
            account: StoreKey("one-time code account", account),
            validFrom: earliest - Self.clockTolerance,
            validUntil: latest,
            verifiedAt: now.seconds,
            secondInMinute: nil,
            // For other processes, whose clocks are behind this one.
            margin: .seconds(Self.clockTolerance + 1)
        )
    }
}
