// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// A ``ReplayStore`` for one process: some 200 bytes a proof, and never more proofs than its bounds.
///
/// What was used before the process started is not in it: tell the ``ReplayGuard`` when that was.
///
/// A key is forgotten when its time is over by the largest `now` so far; a key that ends no later than one that was
/// forgotten is not inserted any more. After a clock was set back by more than a proof's life, proofs are therefore
/// refused for as long as the clock takes to catch up.
public final class InMemoryReplayStore: ReplayStore {
    private let table: Lock<ReplayTable>

    /// A store.
    ///
    /// - Parameters:
    ///   - perAccountLimit: The most proofs of one user that are remembered at once, at least 1; 64. A user has as many
    ///     as there are minutes in the window, or logins with one-time texts in their lifetime.
    ///   - limit: The most proofs in all, at least 1; 131,072.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(perAccountLimit: Int = 64, limit: Int = 131_072) throws(LoginServerError) {
        try LoginServerError.check("the proofs of a user", perAccountLimit, in: 1...1 << 30)
        try LoginServerError.check("the proofs in all", limit, in: 1...1 << 30)
        table = Lock(ReplayTable(perAccountLimit: perAccountLimit, limit: limit))
    }

    /// How many proofs are remembered.
    public var count: Int { table.withLock { $0.count } }

    /// Inserts a key unless it is there.
    ///
    /// - Parameters:
    ///   - key: The proof's key.
    ///   - account: The user's key.
    ///   - expiresAt: Until when the key has to be kept.
    ///   - now: The present, on the same clock.
    /// - Returns: Whether it was inserted.
    public func insertIfAbsent(
        _ key: ReplayKey,
        account: ReplayKey,
        expiresAt: Int64,
        now: Int64
    ) -> ReplayStoreAnswer {
        table.withLock { $0.insertIfAbsent(key, account: account, expiresAt: expiresAt, now: now) }
    }
}
