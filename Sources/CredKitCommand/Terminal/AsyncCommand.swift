// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc

/// A command whose work is asynchronous. The others start without the pool of threads that this takes.
protocol AsyncCommand: ParsableCommand {
    /// Does what the command is for.
    func execute() async throws
}

extension AsyncCommand {
    /// Waits on the main thread, which has nothing else to do. Ctrl-C ends the process as it always does.
    func run() throws {
        let waiting = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        guard sem_init(waiting, 0, 0) == 0 else { throw CommandFailure(.tryAgain, "a lock cannot be made") }
        // Handed over, and taken back when the semaphore says so.
        nonisolated(unsafe) let command = self
        nonisolated(unsafe) let done = waiting
        nonisolated(unsafe) var result: Result<Void, any Error> = .success(())
        let work: @Sendable () async -> Void = {
            do {
                try await command.execute()
            } catch {
                result = .failure(error)
            }
            sem_post(done)
        }
        Task.detached(operation: work)
        while sem_wait(waiting) != 0 && errno == EINTR {}
        sem_destroy(waiting)
        waiting.deallocate()
        try result.get()
    }
}
