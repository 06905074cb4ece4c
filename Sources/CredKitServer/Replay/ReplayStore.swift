// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Where a ``ReplayGuard`` remembers which proofs were used.
///
/// ``InMemoryReplayStore`` is for one process. Several processes that serve the same users need one that they share: a
/// table with a unique key, or a key-value server's "set if absent" with an expiry.
///
/// What a store has to promise:
/// - Of any number of calls with the same key at the same time, in all processes, exactly one gets
///   ``ReplayStoreAnswer/inserted``.
/// - A key is kept at least until its time, whatever else is inserted. When there is no room, the answer is
///   ``ReplayStoreAnswer/full``, and nothing is forgotten.
/// - A key whose time is over for the store may be forgotten. A key that may have been forgotten is never inserted
///   again, also when a clock was set back: the answer is ``ReplayStoreAnswer/present``.
public protocol ReplayStore: Sendable {
    /// Inserts a key unless it is there.
    ///
    /// - Parameters:
    ///   - key: The proof's key.
    ///   - account: The user's key, for a bound per user.
    ///   - expiresAt: Until when the key has to be kept, in seconds.
    ///   - now: The present, on the same clock.
    /// - Returns: Whether it was inserted.
    /// - Throws: Whatever kept the store from answering; the guard lets nobody in then.
    func insertIfAbsent(
        _ key: ReplayKey,
        account: ReplayKey,
        expiresAt: Int64,
        now: Int64
    ) async throws -> ReplayStoreAnswer
}

/// What a ``ReplayStore`` answers.
public enum ReplayStoreAnswer: Sendable, Hashable {
    /// The key was not there, and is now.
    case inserted
    /// The key is there already, or may have been.
    case present
    /// There is no room for another one, of this user or of anybody.
    case full
}
