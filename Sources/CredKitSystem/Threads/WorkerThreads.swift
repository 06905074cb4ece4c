// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A fixed number of threads that run blocking calls.
///
/// A caller stops waiting at its deadline, even if the call does not end. Such a call keeps its thread until it ends: unlike with
/// ``SerialThread`` there is no other thread in its place, so that a peer that hangs cannot use up the machine.
package final class WorkerThreads: Sendable {
    /// Why a call has no result.
    package enum Failure: Sendable {
        /// The deadline has passed.
        case timedOut
        /// Too many calls wait for a thread.
        case overloaded
        /// No thread could be started.
        case noThread
    }

    private struct Job: Sendable {
        /// When the caller stops waiting.
        let deadline: ContinuousClock.Instant
        let body: @Sendable () -> Void
    }

    private struct State: Sendable {
        var jobs: [Job] = []
        var threads = 0
        var idle = 0
        var isClosed = false
    }

    private let state = Condition(State())
    private let count: Int
    private let maximumWaitingCount: Int

    /// Creates threads, each of which starts when there is a call for it.
    ///
    /// - Parameters:
    ///   - count: The number of threads, at least 1.
    ///   - maximumWaitingCount: The most calls that wait for a thread.
    package init(count: Int, maximumWaitingCount: Int) {
        self.count = count
        self.maximumWaitingCount = maximumWaitingCount
    }

    deinit { state.change { $0.isClosed = true } }

    /// Runs `body` on one of the threads. The task's cancellation has no effect.
    ///
    /// - Parameters:
    ///   - deadline: How long to wait for it, the time until a thread is free included.
    ///   - convert: Returns the error to throw when the caller has stopped waiting, too many calls wait, or there is no thread.
    ///   - body: What to run, unless the deadline has passed before a thread is free.
    /// - Returns: What it returned.
    /// - Throws: What it failed with, or the result of `convert`.
    package func run<Value: Sendable, Problem: Error>(
        deadline: ContinuousClock.Instant,
        orThrow convert: @escaping @Sendable (Failure) -> Problem,
        _ body: @escaping @Sendable () -> Result<Value, Problem>
    ) async throws(Problem) -> Value {
        let answer = SharedOutcome<Value, Problem>()
        let watch = Watchdog.shared.add(deadline) {
            answer.give(.failure(convert(.timedOut)))
            return nil
        }
        defer { Watchdog.shared.remove(watch) }
        if let failure = add(Job(deadline: deadline) { answer.give(body()) }) {
            answer.give(.failure(convert(failure)))
        }
        return try await answer.result().get()
    }

    private func add(_ job: Job) -> Failure? {
        state.change { state in
            if state.jobs.count >= maximumWaitingCount {
                let now = ContinuousClock.now
                state.jobs.removeAll { $0.deadline <= now }
            }
            guard state.jobs.count < maximumWaitingCount else { return .overloaded }
            if state.idle <= state.jobs.count, state.threads < count, start() { state.threads += 1 }
            guard state.threads > 0 else { return .noThread }
            state.jobs.append(job)
            return nil
        }
    }

    private func start() -> Bool {
        // The threads must not keep the object alive.
        DetachedThread.start { [state] in
            while let job = Self.next(in: state) {
                // When the caller has stopped waiting, nothing must be done behind its back.
                if job.deadline > .now { job.body() }
            }
        }
    }

    private static func next(in state: Condition<State>) -> Job? {
        state.withLock { $0.idle += 1 }
        return state.wait { state in
            guard state.isClosed || !state.jobs.isEmpty else { return .wait() }
            state.idle -= 1
            return .finish(state.isClosed ? nil : state.jobs.removeFirst())
        }
    }
}
