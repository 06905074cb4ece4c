// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Why a caller has stopped waiting for a blocking call.
package enum CallFailure: Error, Sendable {
    /// The deadline has passed.
    case timedOut
    /// The caller's task was cancelled.
    case cancelled
    /// No thread could be started.
    case noThread
}

/// What a blocking call is told while it runs: until when, and whether anybody still waits for it.
package final class CallToken: Sendable {
    private struct State {
        var deadline: ContinuousClock.Instant
        var handlers: [@Sendable () -> Void] = []
        var failure: CallFailure?
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
    package var deadline: ContinuousClock.Instant { state.withLock { $0.deadline } }

    /// The time that is left, at least none.
    package var remaining: Duration { max(.zero, deadline - .now) }

    /// Lets the caller wait longer, for a person's answer; shorter if the time is negative.
    package func extend(by time: Duration) { state.withLock { $0.deadline += time } }

    /// Lets the calls that wait for this one's thread go on without it: this one will take as long as a person does.
    package func letOthersPass() { stepAside() }

    /// Why the call must end: the caller has stopped waiting, or the deadline has passed. `nil` if it may go on.
    package var failure: CallFailure? {
        if let failure = state.withLock({ $0.failure }) { return failure }
        return deadline <= .now ? .timedOut : nil
    }

    /// Whether the caller has stopped waiting.
    var hasStopped: Bool { state.withLock { $0.failure != nil } }

    /// Calls `handler` when the caller stops waiting, from another thread; at once if it has already.
    package func onStop(_ handler: @escaping @Sendable () -> Void) {
        let isStopped = state.withLock { state in
            if state.failure == nil { state.handlers.append(handler) }
            return state.failure != nil
        }
        if isStopped { handler() }
    }

    func stop(_ failure: CallFailure) {
        let handlers: [@Sendable () -> Void] = state.withLock { state in
            guard state.failure == nil else { return [] }
            state.failure = failure
            defer { state.handlers = [] }
            return state.handlers
        }
        for handler in handlers { handler() }
    }
}
