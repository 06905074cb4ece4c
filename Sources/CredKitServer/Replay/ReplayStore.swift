// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The storage in which a ``ReplayGuard`` remembers used proofs.
///
/// ``InMemoryReplayStore`` is for one process. Several processes that serve the same users need a shared store: one
/// script of a key-value server, or one statement of a database. Run `ReplayStoreSuite` of the module CredKitTesting
/// against your own store.
///
/// All durations are measured on the clock of the store. A store must guarantee:
/// - If several calls mark the same key at the same time, in all processes, exactly one gets
///   ``ReplayDecision/accepted``.
/// - A key is stored at least as long as its call asks for, even if many others are marked. When there is no room, the answer
///   is ``ReplayDecision/unavailable(retryAfter:)``, and nothing is removed.
/// - A store that may have lost keys, for example at a restart, answers ``ReplayDecision/unavailable(retryAfter:)`` for
///   challenges that are older than its memory.
public protocol ReplayStore: Sendable {
    /// Marks a key as used unless it is marked already, in one atomic operation.
    ///
    /// - Parameters:
    ///   - key: The key of the proof.
    ///   - account: The key of the user, for a limit per user.
    ///   - lifetime: The time for which the key must be stored. Zero or less for an expired proof: answer
    ///     ``ReplayDecision/replayed``.
    ///   - challengeAge: The time since a proof for the same challenge could first be used, rounded up. If the store
    ///     cannot know what was used since then, it answers ``ReplayDecision/unavailable(retryAfter:)`` with the time
    ///     by which the challenge is too old.
    /// - Returns: Whether the key was marked.
    /// - Throws: Any error that kept the store from answering. ``ReplayGuard`` wraps it, and the login is rejected.
    func markUsed(
        _ key: StoreKey,
        account: StoreKey,
        lifetime: Duration,
        challengeAge: Duration
    ) async throws -> ReplayDecision
}
