// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// What a blocking call is told while it runs: until when, and whether anybody still waits for it.
package final class CallToken: Sendable {
    private struct State {
        var deadline: ContinuousClock.Instant
        var handlers: [@Sendable () -> Void] = []
        var error: KeychainError?
    }

    private let state: Lock<State>
    private let stepAside: @Sendable () -> Void

    /// A token.
    ///
    /// - Parameters:
    ///   - deadline: When the caller stops waiting.
    ///   - stepAside: What ``letOthersPass()`` does.
    init(deadline: ContinuousClock.Instant, stepAside: @escaping @Sendable () -> Void = {}) {
        state = Lock(State(deadline: deadline))
        self.stepAside = stepAside
    }

    /// When the caller stops waiting.
    var deadline: ContinuousClock.Instant { state.withLock { $0.deadline } }

    /// The time that is left, at least none.
    var remaining: Duration { max(.zero, deadline - .now) }

    /// Lets the caller wait longer, for a person's answer; shorter if the time is negative.
    func extend(by time: Duration) { state.withLock { $0.deadline += time } }

    /// Lets the calls that wait for this one's thread go on without it: this one will take as long as a person does.
    func letOthersPass() { stepAside() }

    /// Throws if the caller has stopped waiting, or the deadline has passed.
    func check() throws(KeychainError) {
        if let error = state.withLock({ $0.error }) { throw error }
        if deadline <= .now { throw .timedOut }
    }

    /// Whether the caller has stopped waiting.
    var hasStopped: Bool { state.withLock { $0.error != nil } }

    /// Calls `handler` when the caller stops waiting, from another thread; at once if it has already.
    func onStop(_ handler: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            if state.error == nil { state.handlers.append(handler) }
            return state.error != nil
        }
        if isStopped { handler() }
    }

    func stop(_ error: KeychainError) {
        let handlers: [@Sendable () -> Void] = state.withLock { state in
            guard state.error == nil else { return [] }
            state.error = error
            defer { state.handlers = [] }
            return state.handlers
        }
        for handler in handlers { handler() }
    }
}
