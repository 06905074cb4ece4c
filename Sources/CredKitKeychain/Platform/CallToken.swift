// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// What a blocking call is told while it runs: until when, and whether anybody still waits for it.
final class CallToken: Sendable {
    private enum State {
        case running([@Sendable () -> Void])
        case stopped(KeychainError)
    }

    /// When the caller stops waiting.
    let deadline: ContinuousClock.Instant
    private let state: Lock<State> = Lock(.running([]))

    init(deadline: ContinuousClock.Instant) { self.deadline = deadline }

    /// The time that is left, at least none.
    var remaining: Duration { max(.zero, deadline - .now) }

    /// Throws if the caller has stopped waiting, or the deadline has passed.
    func check() throws(KeychainError) {
        let error: KeychainError? = state.withLock { state in
            guard case .stopped(let error) = state else { return nil }
            return error
        }
        if let error { throw error }
        if deadline <= .now { throw .timedOut }
    }

    /// Calls `handler` when the caller stops waiting, from another thread; at once if it has already.
    func onStop(_ handler: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            guard case .running(let handlers) = state else { return true }
            state = .running(handlers + [handler])
            return false
        }
        if isStopped { handler() }
    }

    func stop(_ error: KeychainError) {
        let handlers: [@Sendable () -> Void] = state.withLock { state in
            guard case .running(let handlers) = state else { return [] }
            state = .stopped(error)
            return handlers
        }
        for handler in handlers { handler() }
    }
}
