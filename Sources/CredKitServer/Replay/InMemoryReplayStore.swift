// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// A ``ReplayStore`` for one process. It takes about 200 bytes a proof, and never stores more proofs than its limits.
///
/// It does not contain proofs that were used before the process started: pass the time of the start to the
/// ``ReplayGuard``.
///
/// A key is removed when it has expired by the largest `now` so far. A key that expires no later than a removed one is
/// not inserted any more. If the clock is set back by more than the lifetime of a proof, proofs are therefore rejected
/// until the clock has caught up.
public final class InMemoryReplayStore: ReplayStore {
    private let table: Lock<ReplayTable>

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - perAccountLimit: The maximum number of remembered proofs of one user, at least 1. Default: 64. A user has as
    ///     many as there are minutes in the window, or logins with one-time challenges in their lifetime.
    ///   - limit: The maximum number of proofs in all, at least 1. Default: 131,072.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(perAccountLimit: Int = 64, limit: Int = 131_072) throws(LoginServerError) {
        try LoginServerError.check("the limit of proofs per user", perAccountLimit, in: 1...1 << 30)
        try LoginServerError.check("the limit of proofs", limit, in: 1...1 << 30)
        table = Lock(ReplayTable(perAccountLimit: perAccountLimit, limit: limit))
    }

    /// The number of remembered proofs.
    public var count: Int { table.withLock { $0.count } }

    /// Inserts a key unless it is present.
    ///
    /// - Parameters:
    ///   - key: The proof's key.
    ///   - account: The user's key.
    ///   - expiresAt: The time until which the key must be stored.
    ///   - now: The current time, on the same clock.
    /// - Returns: Whether the key was inserted.
    public func insertIfAbsent(
        _ key: ReplayKey,
        account: ReplayKey,
        expiresAt: Int64,
        now: Int64
    ) -> ReplayStoreResult {
        table.withLock { $0.insertIfAbsent(key, account: account, expiresAt: expiresAt, now: now) }
    }
}
