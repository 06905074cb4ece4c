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

/// The deadline and the cancellation state of a blocking call.
package final class CancellationToken: Sendable {
    private struct State {
        var deadline: ContinuousClock.Instant
        var handlers: [@Sendable () -> Void] = []
        var failure: CallFailure?
    }

    private let state: Lock<State>
    private let stepAside: @Sendable () -> Void

    /// Creates a token.
    ///
    /// - Parameters:
    ///   - deadline: The time when the caller stops waiting.
    ///   - stepAside: The implementation of ``letOthersPass()``.
    package init(deadline: ContinuousClock.Instant, stepAside: @escaping @Sendable () -> Void = {}) {
        state = Lock(State(deadline: deadline))
        self.stepAside = stepAside
    }

    /// The time when the caller stops waiting.
    package var deadline: ContinuousClock.Instant { state.withLock { $0.deadline } }

    /// The remaining time, at least zero.
    package var remaining: Duration { max(.zero, deadline - .now) }

    /// Calls `body`, which waits for a user, with a later deadline. Time that the user did not need does not extend what
    /// follows.
    package func extended<Value, Failure: Error>(
        by time: Duration,
        _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let end = ContinuousClock.now + time
        state.withLock { $0.deadline += time }
        defer { state.withLock { $0.deadline -= max(.zero, end - .now) } }
        return try body()
    }

    /// Allows the calls that wait for this call's thread to continue without it, since this call waits for a user.
    package func letOthersPass() { stepAside() }

    /// Why the call must end: the caller has stopped waiting, or the deadline has passed. `nil` if it may go on.
    package var failure: CallFailure? {
        if let failure = state.withLock({ $0.failure }) { return failure }
        return deadline <= .now ? .timedOut : nil
    }

    /// Whether the caller has stopped waiting.
    var hasStopped: Bool { state.withLock { $0.failure != nil } }

    /// Calls `handler` from another thread when the caller stops waiting, or at once if it has stopped already.
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
