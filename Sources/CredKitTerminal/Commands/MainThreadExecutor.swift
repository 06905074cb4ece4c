// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import Glibc

/// Runs the jobs of a task on the main thread, which has nothing else to do: the pool of threads that they would run on
/// otherwise takes a part of the time that a short command has.
package final class MainThreadExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isDone = false
    }

    private let state = Lock(State())
    /// Posted for each job, and when all is done. It lives as long as the process.
    private nonisolated(unsafe) let signal: UnsafeMutablePointer<sem_t>

    /// `nil` if there is no semaphore to be had.
    package init?() {
        signal = .allocate(capacity: 1)
        guard sem_init(signal, 0, 0) == 0 else {
            signal.deallocate()
            return nil
        }
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
        sem_post(signal)
    }

    /// Lets ``runJobs()`` return.
    package func finish() {
        state.withLock { $0.isDone = true }
        sem_post(signal)
    }

    /// Runs jobs until it is told that all is done.
    package func runJobs() {
        while true {
            while sem_wait(signal) != 0 && errno == EINTR {}
            let (job, isDone): (UnownedJob?, Bool) = state.withLock { state in
                (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isDone)
            }
            if let job {
                job.runSynchronously(on: asUnownedTaskExecutor())
            } else if isDone {
                return
            }
        }
    }

    /// Does asynchronous work on this thread, and returns when it is done.
    package static func run(_ work: @escaping () async throws -> Void) throws {
        guard let executor = MainThreadExecutor() else {
            throw CommandFailure(.tryAgain, "a lock cannot be made")
        }
        // Handed over, and taken back when the executor returns; all of it on this thread.
        nonisolated(unsafe) let work = work
        nonisolated(unsafe) var result: Result<Void, any Error> = .success(())
        let job: @Sendable () async -> Void = {
            do {
                try await work()
            } catch {
                result = .failure(error)
            }
            executor.finish()
        }
        Task(executorPreference: executor, operation: job)
        executor.runJobs()
        try result.get()
    }
}
