// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The storage in which a ``ReplayGuard`` remembers used proofs.
///
/// ``InMemoryReplayStore`` is for one process. Several processes that serve the same users need a shared store: a table
/// with a unique key, or a key-value server's "set if absent" with an expiry.
///
/// A store must guarantee:
/// - If several calls insert the same key at the same time, in all processes, exactly one gets
///   ``ReplayStoreResult/inserted``.
/// - A key is stored at least until it expires, whatever else is inserted. When there is no room, the answer is
///   ``ReplayStoreResult/full``, and nothing is removed.
/// - An expired key may be removed. A key that may have been removed is never inserted again, even if the clock was set
///   back: the answer is ``ReplayStoreResult/present``.
public protocol ReplayStore: Sendable {
    /// Inserts a key unless it is present.
    ///
    /// - Parameters:
    ///   - key: The proof's key.
    ///   - account: The user's key, for a limit per user.
    ///   - expiresAt: The time until which the key must be stored, in seconds.
    ///   - now: The current time, on the same clock.
    /// - Returns: Whether the key was inserted.
    /// - Throws: Any error that kept the store from answering; the guard then rejects the login.
    func insertIfAbsent(
        _ key: ReplayKey,
        account: ReplayKey,
        expiresAt: Int64,
        now: Int64
    ) async throws -> ReplayStoreResult
}

/// The answer of a ``ReplayStore``.
public enum ReplayStoreResult: Sendable, Hashable {
    /// The key was absent, and has been inserted.
    case inserted
    /// The key is present already, or may have been removed.
    case present
    /// There is no room for another key, of this user or of all users.
    case full
}
