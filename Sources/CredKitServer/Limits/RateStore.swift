// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The storage in which a ``RateLimiter`` counts attempts.
///
/// ``InMemoryRateStore`` is for one process. Several processes that serve the same users can share a store: one script
/// of a key-value server, or one statement of a database. Run `RateStoreSuite` of the module CredKitTesting against your
/// own store.
///
/// A store keeps one point in time for each key: when all of its attempts are available again. This is the generic cell
/// rate algorithm, which is equivalent to a token bucket. A key that reached this point can be forgotten.
public protocol RateStore: Sendable {
    /// Counts an attempt for all keys, or for none, in one atomic operation.
    ///
    /// - Parameter charges: The keys, each of them once, with their limits.
    /// - Returns: ``RateLimitResult/allowed`` if every key is below its limit; the attempt was counted for all of them
    ///   then. Otherwise the longest of their waits, and the attempt was counted for none.
    /// - Throws: Any error that kept the store from answering. ``RateLimiter`` wraps it, and the login is rejected.
    func charge(_ charges: [RateCharge]) async throws -> RateLimitResult

    /// Forgets the attempts of a key.
    ///
    /// - Parameter key: The key.
    /// - Throws: Any error that kept the store from answering.
    func reset(_ key: StoreKey) async throws
}

/// A key for which an attempt is counted, and its limit.
public struct RateCharge: Sendable, Hashable {
    /// The key of an account, an address or anything else that is limited.
    public let key: StoreKey

    /// The limit of the key.
    public let limit: RateLimit

    /// Whether the attempt counts only in a store that all servers share. A ``FallbackRateStore`` throws then, in place of
    /// granting attempts of its own, and a store with a disk keeps the attempt there before it allows it.
    public let mustBeShared: Bool

    /// Creates a charge.
    ///
    /// - Parameters:
    ///   - key: The key of an account, an address or anything else that is limited.
    ///   - limit: The limit of the key.
    ///   - mustBeShared: Whether the attempt counts only in a store that all servers share.
    public init(_ key: StoreKey, limit: RateLimit, mustBeShared: Bool = false) {
        self.key = key
        self.limit = limit
        self.mustBeShared = mustBeShared
    }
}
