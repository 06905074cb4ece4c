// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Accepts each proof once.
///
/// Ask it after a ``LoginVerifier``, so that only proofs of real users are stored: an attacker without a password
/// cannot fill the store.
///
/// ```swift
/// let replays = ReplayGuard(store: try InMemoryReplayStore(), startedAt: now)
/// guard case .accepted = await replays.markUsed(proof) else { … }
/// ```
///
/// It fails closed. When the store is full or does not answer, every proof is rejected and nothing is forgotten. A
/// proof that could have been used before the guard started is rejected too, since no record of its use remains. With
/// bare minutes and a window of ±2 minutes, this affects every login in the first two to three minutes.
///
/// > Important: When daylight saving time ends, the local minutes of one hour repeat, and so do the proofs. The guard
/// > rejects all of them the second time, which blocks every login for most of that hour. Issue bare minutes in UTC or
/// > in a zone without daylight saving time, or issue one-time challenges.
///
/// Use one guard for minutes and another for one-time challenges: their times are on different clocks. The wrong guard
/// accepts no invalid login, but rejects some valid ones.
public struct ReplayGuard: Sendable {
    private let store: any ReplayStore
    private let startedAt: Int64?

    /// Creates a guard.
    ///
    /// - Parameters:
    ///   - store: The store of the used proofs.
    ///   - startedAt: The time since which the store remembers, on the clock of the proofs: seconds since 1970 plus the
    ///     offset from UTC for minutes. `nil` if no proof can have been used before: the store outlives the process,
    ///     the one-time challenges have a new key, or the users are new.
    public init(store: any ReplayStore, startedAt: Int64?) {
        self.store = store
        self.startedAt = startedAt
    }

    /// Accepts a proof if it was not used before.
    ///
    /// - Parameter proof: A verified proof.
    /// - Returns: Whether the proof was accepted.
    public func markUsed(_ proof: VerifiedProof) async -> ReplayDecision {
        // Another server may have run in the second of the start.
        if let startedAt, proof.validFrom <= startedAt {
            return .unavailable(retryAfter: Self.wait(from: proof.verifiedAt, to: startedAt, proof))
        }
        let answer: ReplayStoreResult
        do {
            answer = try await store.insertIfAbsent(
                proof.replayKey,
                account: ReplayKey(parts: [Array("account".utf8), Array(proof.accountName.utf8)]),
                expiresAt: proof.validUntil,
                now: proof.verifiedAt
            )
        } catch {
            return .unavailable(retryAfter: 5)
        }
        return switch answer {
        case .inserted: .accepted
        case .present: .replayed
        case .full: .unavailable(retryAfter: Int(max(1, proof.validUntil - proof.verifiedAt)))
        }
    }

    /// Returns the seconds until a proof like this one, made for a later challenge, is accepted.
    private static func wait(from now: Int64, to start: Int64, _ proof: VerifiedProof) -> Int {
        let missing = max(1, ClampedTime.clamp(start) + 1 - proof.validFrom)
        // Minutes are consecutive: a proof for a later minute becomes acceptable later by the same time.
        let isMinute = proof.challenge.utf8.count == 16
        guard isMinute else { return Int(clamping: missing) }
        let minutes = (missing + 59) / 60
        let intoMinute = Int64(Int(ClampedTime.clamp(now)) % 60)
        return Int(clamping: max(1, minutes * 60 - intoMinute))
    }
}

/// The decision of a ``ReplayGuard``.
public enum ReplayDecision: Sendable, Hashable {
    /// The proof was not used before.
    case accepted
    /// The proof was used before, or may have been.
    case replayed
    /// The guard cannot determine whether the proof was used; the login must be rejected.
    ///
    /// - Parameter retryAfter: The seconds after which to retry with a new proof.
    case unavailable(retryAfter: Int)
}
