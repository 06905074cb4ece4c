// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import Glibc

/// Runs the jobs of a task on the main thread, which is otherwise idle. Starting the default thread pool would take a
/// noticeable part of the run time of a short command.
package final class MainThreadExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isDone = false
    }

    private let state = Lock(State())
    /// Posted for each job, and when all work is done. It lives as long as the process.
    private nonisolated(unsafe) let signal: UnsafeMutablePointer<sem_t>

    /// Creates an executor, or `nil` if the system cannot create a semaphore.
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

    /// Makes ``runJobs()`` return.
    package func finish() {
        state.withLock { $0.isDone = true }
        sem_post(signal)
    }

    /// Runs jobs until ``finish()`` is called.
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

    /// Runs asynchronous work on this thread, and returns when the work is done.
    package static func run(_ work: @escaping () async throws -> Void) throws {
        guard let executor = MainThreadExecutor() else {
            throw CommandFailure(.tryAgain, "cannot create a semaphore")
        }
        // Safe because only this thread uses them, and reads the result after the executor has returned.
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
