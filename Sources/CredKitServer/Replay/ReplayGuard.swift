// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Lets each proof in once.
///
/// Ask it after a ``LoginVerifier``, so that only proofs of real users take up memory: whoever knows no password cannot
/// fill it.
///
/// ```swift
/// let replays = ReplayGuard(store: try InMemoryReplayStore(), startedAt: now)
/// guard case .first = await replays.admit(proof) else { … }
/// ```
///
/// It fails closed. When the store is full or does not answer, nobody is let in and nothing is forgotten; and what
/// could have been used before the guard started is refused, since nobody remembers whether it was. With bare minutes
/// and a window of ±2 minutes that is every login of the first two to three minutes.
///
/// > Important: Where the clock on the wall is set back in autumn, the texts of an hour come twice, and so do the
/// > proofs. The guard refuses all of them the second time, which shuts everybody out for most of that hour. Give bare
/// > minutes in UTC or in a zone without summer time, or give one-time texts.
///
/// Keep one guard for minutes and another for one-time texts: their times are of different clocks. Through the wrong
/// guard nobody is let in who should not be, but some are shut out who should not be either.
public struct ReplayGuard: Sendable {
    private let store: any ReplayStore
    private let startedAt: Int64?

    /// A guard.
    ///
    /// - Parameters:
    ///   - store: Where proofs are remembered.
    ///   - startedAt: The time since which the store remembers, on the clock of the proofs: seconds since 1970 plus the
    ///     offset from UTC for minutes. `nil` where nothing can have been used before: the store outlives the process,
    ///     the one-time texts have a new key, or the users are new.
    public init(store: any ReplayStore, startedAt: Int64?) {
        self.store = store
        self.startedAt = startedAt
    }

    /// Lets a proof in if it is the first time.
    ///
    /// - Parameter proof: A proof that was verified.
    /// - Returns: Whether it is.
    public func admit(_ proof: VerifiedProof) async -> ReplayDecision {
        // In the second of the start, there may have been a server before.
        if let startedAt, proof.acceptableFrom <= startedAt {
            return .unavailable(retryAfter: Self.wait(from: proof.verifiedAt, to: startedAt, proof))
        }
        let answer: ReplayStoreAnswer
        do {
            answer = try await store.insertIfAbsent(
                proof.replayKey,
                account: ReplayKey(parts: [Array("account".utf8), Array(proof.accountName.utf8)]),
                expiresAt: proof.acceptableUntil,
                now: proof.verifiedAt
            )
        } catch {
            return .unavailable(retryAfter: 5)
        }
        return switch answer {
        case .inserted: .first
        case .present: .replayed
        case .full: .unavailable(retryAfter: Int(max(1, proof.acceptableUntil - proof.verifiedAt)))
        }
    }

    /// The seconds until a proof like this one, made for a later time text, is let in.
    private static func wait(from now: Int64, to start: Int64, _ proof: VerifiedProof) -> Int {
        let missing = max(1, UnixTime.clamp(start) + 1 - proof.acceptableFrom)
        // Minutes come one after the other; a proof for a later one begins to be acceptable so much later.
        let isMinute = proof.timeText.utf8.count == 16
        guard isMinute else { return Int(clamping: missing) }
        let minutes = (missing + 59) / 60
        let intoMinute = Int64(Int(UnixTime.clamp(now)) % 60)
        return Int(clamping: max(1, minutes * 60 - intoMinute))
    }
}

/// What a ``ReplayGuard`` answers.
public enum ReplayDecision: Sendable, Hashable {
    /// The proof was not used before.
    case first
    /// It was, or it may have been.
    case replayed
    /// That cannot be said now; nobody is let in.
    ///
    /// - Parameter retryAfter: After how many seconds it makes sense to try again with a new proof.
    case unavailable(retryAfter: Int)
}
