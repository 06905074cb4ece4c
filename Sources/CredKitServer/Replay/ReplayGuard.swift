// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
internal import CredKitSystem

/// Accepts each proof once. Whether its key was marked before is for the ``ReplayStore``: `ReplayTable` in memory, and
/// `RedisScript.marking` and `SQLSchema.marking` for shared stores.
///
/// Ask it after a ``LoginVerifier``, so that only proofs of real users are stored: an attacker without a password
/// cannot fill the store.
///
/// ```swift
/// let replays = ReplayGuard(store: try InMemoryReplayStore())
/// guard case .accepted = try await replays.markUsed(proof) else { … }
/// ```
///
/// It fails closed. When the store is full or cannot know whether a proof was used, every proof is rejected and nothing
/// is forgotten; see ``InMemoryReplayStore`` for the time after a start. When the store throws, no proof is accepted.
///
/// If the clock of the proofs is set back, proofs that the store has forgotten become acceptable again. The guard
/// rejects them, and so does an in-memory store those from before its start, if the guard has seen the clock before it
/// was set back: pass `startedAt` for bare minutes. Each process knows only what its own guard accepted: a process that
/// starts after the clock was set back cannot detect such proofs.
///
/// > Important: When daylight saving time ends, the local minutes of one hour repeat, and so do the proofs. The guard
/// > rejects all of them the second time, which blocks every login for most of that hour. Issue bare minutes in UTC or
/// > in a zone without daylight saving time, or issue one-time challenges.
///
/// Use one guard for minutes and another for one-time challenges: their times are on different clocks. The wrong guard
/// accepts no invalid login, but rejects some valid ones.
public struct ReplayGuard: Sendable {
    let store: any ReplayStore
    private let clock: StoreClock
    private let forgotten = Lock(ForgottenProofs())
    /// How far the clock of the proofs is ahead of `clock`, in seconds, at most so far: setting it back changes nothing.
    private let lead: Lock<Int64>

    /// Creates a guard.
    ///
    /// - Parameters:
    ///   - store: The store of the used proofs.
    ///   - startedAt: For bare minutes, the time of the start, so that a clock that is set back later does not make
    ///     proofs acceptable that an earlier process has accepted; `nil` for one-time challenges.
    ///   - utcOffset: The offset from UTC of the clock of the minutes at the start.
    ///   - clock: The clock that measures how long the store has kept each proof. Tests can pass a clock of their own.
    public init(
        store: any ReplayStore,
        startedAt: UnixTime? = nil,
        utcOffset: Duration = .zero,
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.store = store
        self.clock = StoreClock(clock)
        let start = startedAt.map { ($0 + utcOffset).seconds }
        lead = Lock((start ?? .min / 2) - self.clock.elapsed.components.seconds)
    }

    /// Accepts a proof if it was not used before.
    ///
    /// - Parameter proof: A verified proof.
    /// - Returns: Whether the proof was accepted. A time to wait is a number of whole seconds.
    /// - Throws: ``LoginServerError/storeFailed`` if the store threw; the login must be rejected.
    ///   ``LoginServerError/cancelled`` if the task was cancelled.
    public func markUsed(_ proof: VerifiedProof) async throws(LoginServerError) -> ReplayDecision {
        try await markUsed(proof.singleUse)
    }

    /// Accepts something that is valid once, if it was not used before.
    ///
    /// - Parameter use: What is used.
    /// - Returns: Whether the use was accepted. A time to wait is a number of whole seconds.
    /// - Throws: ``LoginServerError/storeFailed`` if the store threw; the use must be rejected.
    ///   ``LoginServerError/cancelled`` if the task was cancelled.
    public func markUsed(_ use: SingleUse) async throws(LoginServerError) -> ReplayDecision {
        try await markUsed(use) { use in
            LoginCompletion.Outcome(
                try await store.markUsed(
                    use.key,
                    account: use.account,
                    lifetime: use.lifetime,
                    challengeAge: use.challengeAge
                )
            )
        }
        .decision
    }

    /// Accepts something that is valid once, by a store that may do more in the same step.
    func markUsed(
        _ use: SingleUse,
        by mark: (LoginCompletion.Use) async throws -> LoginCompletion.Outcome
    ) async throws(LoginServerError) -> LoginCompletion.Outcome {
        let start = clock.elapsed
        let lifetime = use.lifetime
        let isForgotten = forgotten.withLock { $0.contains(expiry: use.validUntil, at: start) }
        guard !use.isExpired, !isForgotten else { return .init(.replayed) }
        let age = max(use.age, ageWithoutSetback(of: use, at: start))
        let outcome = try await LoginServerError.wrapping("the replay store failed") {
            try await mark(.init(key: use.key, account: use.account, lifetime: lifetime, challengeAge: age))
        }
        switch outcome.decision {
        case .accepted:
            // The store forgets the use later than this, because its own clock was read after `start`.
            forgotten.withLock { $0.record(expiry: use.validUntil, forgottenAt: start + lifetime.clamped) }
            // The store may have answered so late that it had forgotten an earlier use.
            return clock.elapsed - start < lifetime ? outcome : .init(.replayed)
        case .replayed: return outcome
        case .unavailable(let wait): return .init(.unavailable(retryAfter: Self.retryAfter(wait, use)))
        }
    }

    /// Returns the age that something would have if its clock had never been set back.
    private func ageWithoutSetback(of use: SingleUse, at elapsed: Duration) -> Duration {
        let seconds = elapsed.components.seconds
        let lead = lead.withLock { lead in
            lead = max(lead, use.verifiedAt - seconds)
            return lead
        }
        return .seconds(lead + seconds - use.validFrom + 1)
    }

    /// Returns the time until another one like this, made later, is accepted.
    private static func retryAfter(_ wait: Duration, _ use: SingleUse) -> Duration {
        guard let secondInMinute = use.secondInMinute else { return wait.retryAfter }
        // Minutes are consecutive: a proof for a later minute becomes acceptable later by the same time.
        let minutes = (wait.retryAfter.components.seconds + 59) / 60
        return .seconds(minutes * 60 - secondInMinute)
    }
}
