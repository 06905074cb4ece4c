// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Jobs and the thread that runs them. The thread starts with the first job. It ends when the queue is closed, or
/// when another thread has replaced it and its last job is done.
final class JobQueue: Sendable {
    private struct State: Sendable {
        var jobs: [@Sendable (Int) -> Void] = []
        var isRunning = false
        /// The number of the thread that takes the next job. A thread with another number has been replaced.
        var worker = 0
        var isClosed = false
    }

    private let state = Condition(State())

    /// Adds a job, which gets the number of the thread that it runs on.
    ///
    /// - Returns: `false` if there is no thread and none can be started.
    func add(_ job: @escaping @Sendable (Int) -> Void) -> Bool {
        state.change { state in
            if !state.isRunning {
                guard start(state.worker) else { return false }
                state.isRunning = true
            }
            state.jobs.append(job)
            return true
        }
    }

    /// Starts a new thread for the jobs that wait, while the thread of this number is busy with its last one. Does
    /// nothing if that one is done.
    func replace(worker number: Int) {
        state.change { state in
            guard number == state.worker else { return }
            state.worker += 1
            // If no thread can be started now, the next job tries again.
            state.isRunning = !state.jobs.isEmpty && start(state.worker)
        }
    }

    func close() { state.change { $0.isClosed = true } }

    private func start(_ number: Int) -> Bool {
        DetachedThread.start {
            while let job = self.next(for: number) { job(number) }
        }
    }

    private func next(for number: Int) -> (@Sendable (Int) -> Void)? {
        state.wait { state in
            if number != state.worker { return .finish(nil) }
            if !state.jobs.isEmpty { return .finish(state.jobs.removeFirst()) }
            return state.isClosed ? .finish(nil) : .wait()
        }
    }
}
