// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// Memory that one computation of Argon2 or scrypt after another uses: the system takes a third of the time of a hash of
/// Argon2 to provide new memory in huge pages, and twice that time in small ones.
///
/// An arena is wiped before it is kept, so that no other password ever shares memory with this one's blocks, and is kept for
/// some seconds. It is for computations in a row, such as those of a table: a service of many users, in which the time of one
/// must not depend on another, maps memory for each. Only a computation of the same size, with the same request to lock it,
/// uses it again; any other one returns all kept memory first. So the sum of all arenas never exceeds what computations needed
/// at once, and a limit on those is a limit on this memory.
final class Argon2Arenas: Sendable {
    static let shared = Argon2Arenas(idleTime: .seconds(2))

    private let idleTime: Duration

    struct Idle: Sendable {
        let arena: Argon2Arena
        let end: ContinuousClock.Instant
    }

    struct State: Sendable {
        /// The arena that was used last is the last one.
        var idle: [Idle] = []
        /// Whether a thread waits to return idle memory.
        var isWatched = false
    }

    let state = Condition(State())

    /// Creates a store that keeps memory for a time.
    init(idleTime: Duration) { self.idleTime = idleTime }

    /// Returns memory for a computation, locked on request; `nil` if there is not enough, or if so much must not be locked.
    /// Its bytes are zeros.
    func take(byteCount: Int, isLocked: Bool = false) -> Argon2Arena? {
        let kept: Argon2Arena? = state.withLock { state in
            if let index = state.idle.lastIndex(where: {
                $0.arena.byteCount == byteCount && $0.arena.isLocked == isLocked
            }) {
                return state.idle.remove(at: index).arena
            }
            // Within the lock: another thread must not map its memory before.
            for idle in state.idle { idle.arena.unmap() }
            state.idle = []
            return nil
        }
        return kept ?? Argon2Arena(byteCount: byteCount, isLocked: isLocked)
    }

    /// Takes memory back from a computation, to keep it; or to return it to the system at once if it need not be wiped
    /// because the computation was cancelled, which must not take long.
    func giveBack(_ arena: Argon2Arena, isWiped: Bool) {
        guard isWiped else { return arena.unmap() }
        arena.wipe()
        let isKept = state.withLock { state in
            if !state.isWatched { state.isWatched = DetachedThread.start { self.watch() } }
            guard state.isWatched else { return false }
            state.idle.append(Idle(arena: arena, end: .now + idleTime))
            return true
        }
        // Without a thread, it would be kept for an unknown time.
        if !isKept { arena.unmap() }
    }

    /// Returns memory that was idle for too long, until none is left.
    private func watch() {
        while true {
            let isLast: Bool = state.wait { state in
                let now = ContinuousClock.now
                let due = state.idle.filter { $0.end <= now }
                guard due.isEmpty, let next = state.idle.map(\.end).min() else {
                    for idle in due { idle.arena.unmap() }
                    state.idle.removeAll { $0.end <= now }
                    state.isWatched = !state.idle.isEmpty
                    return .finish(state.idle.isEmpty)
                }
                return .wait(next - now)
            }
            state.notifyAll()
            if isLast { return }
        }
    }
}
