// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// A ``ChallengeStore`` for one process. It takes about 300 bytes a challenge, and never stores more than its limit.
public final class InMemoryChallengeStore: ChallengeStore {
    static let standardLimit = 16_384

    private let table: Lock<ChallengeTable>
    private let clock: StoreClock

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of unused challenges in all, at least 1. Default: 16,384.
    ///   - clock: The clock that measures the lifetime of challenges. Tests can pass a clock of their own.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(
        limit: Int = 16_384,
        clock: some Clock<Duration> = ContinuousClock()
    ) throws(LoginServerError) {
        try LoginServerError.check("the limit of challenges", limit, in: 1...1 << 24)
        table = Lock(ChallengeTable(limit: limit))
        self.clock = StoreClock(clock)
    }

    /// Creates a store with the default values.
    init(standardOn clock: some Clock<Duration>) {
        table = Lock(ChallengeTable(limit: Self.standardLimit))
        self.clock = StoreClock(clock)
    }

    /// The number of unused challenges, including expired ones that are not removed yet.
    public var count: Int { table.withLock { $0.count } }

    /// Remembers a challenge that was issued to a client.
    ///
    /// - Parameters:
    ///   - challenge: The text of the challenge.
    ///   - client: The key of the client.
    ///   - lifetime: The time after which the challenge is expired and forgotten.
    ///   - perClientLimit: The maximum number of remembered challenges of this client.
    public func remember(
        _ challenge: String,
        of client: StoreKey,
        lifetime: Duration,
        perClientLimit: Int
    ) {
        table.withLock {
            $0.remember(
                challenge,
                of: client,
                lifetime: lifetime.clamped,
                perClientLimit: perClientLimit,
                at: clock.elapsed
            )
        }
    }

    /// Returns the challenges of a client.
    ///
    /// - Parameter client: The key of the client.
    /// - Returns: The challenges that have neither expired nor been consumed, the oldest first.
    public func challenges(of client: StoreKey) -> [String] {
        table.withLock { $0.challenges(of: client, at: clock.elapsed) }
    }

    /// Removes a challenge.
    ///
    /// - Parameters:
    ///   - challenge: The text of the challenge.
    ///   - client: The key of the client that it was issued to.
    /// - Returns: Whether the challenge was remembered and has not expired.
    public func consume(_ challenge: String, of client: StoreKey) -> Bool {
        table.withLock { $0.consume(challenge, of: client, at: clock.elapsed) }
    }
}
