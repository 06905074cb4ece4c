// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// A ``ReplayStore`` for one process. It takes about 200 bytes a proof, and never stores more proofs than its limits.
///
/// It does not contain proofs that were used before it was created, so it answers
/// ``ReplayDecision/unavailable(retryAfter:)`` for older challenges. With bare minutes and a window of ±2 minutes, this
/// affects every login in the first two to three minutes.
public final class InMemoryReplayStore: ReplayStore {
    private let table: Lock<ReplayTable>
    private let clock: StoreClock

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - isFirstStart: Whether no proof can have been used before: the users are new, or the one-time challenges have
    ///     a new random key. Default: `false`.
    ///   - perAccountLimit: The maximum number of remembered proofs of one user, at least 1. Default: 64. A user has as
    ///     many as there are minutes in the window, or logins with one-time challenges in their lifetime.
    ///     For signed requests it is far too low: see ``RequestVerifier``.
    ///   - limit: The maximum number of proofs in all, at least 1. Default: 131,072.
    ///   - clock: The clock that measures how long proofs are stored. Tests can pass a clock of their own.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(
        isFirstStart: Bool = false,
        perAccountLimit: Int = 64,
        limit: Int = 131_072,
        clock: some Clock<Duration> = ContinuousClock()
    ) throws(LoginServerError) {
        try LoginServerError.check("the limit of proofs per user", perAccountLimit, in: 1...1 << 30)
        try LoginServerError.check("the limit of proofs", limit, in: 1...1 << 30)
        table = Lock(
            ReplayTable(knowsEarlierUses: isFirstStart, perAccountLimit: perAccountLimit, limit: limit)
        )
        self.clock = StoreClock(clock)
    }

    /// Creates a store with the default values.
    init(standardOn clock: some Clock<Duration>, isFirstStart: Bool) {
        table = Lock(ReplayTable(knowsEarlierUses: isFirstStart, perAccountLimit: 64, limit: 131_072))
        self.clock = StoreClock(clock)
    }

    /// The number of remembered proofs.
    public var count: Int { table.withLock { $0.count } }

    /// Marks a key as used unless it is marked already.
    ///
    /// - Parameters:
    ///   - key: The key of the proof.
    ///   - account: The key of the user.
    ///   - lifetime: The time for which the key must be stored.
    ///   - challengeAge: The time since a proof for the same challenge could first be used, rounded up.
    /// - Returns: Whether the key was marked.
    public func markUsed(
        _ key: StoreKey,
        account: StoreKey,
        lifetime: Duration,
        challengeAge: Duration
    ) -> ReplayDecision {
        table.withLock {
            $0.markUsed(
                key,
                account: account,
                lifetime: lifetime.clamped,
                challengeAge: challengeAge.clamped,
                at: clock.elapsed
            )
        }
    }
}
