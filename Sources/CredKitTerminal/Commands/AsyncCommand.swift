// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import ArgumentParser

/// A command whose work is asynchronous.
package protocol AsyncCommand: ParsableCommand {
    /// Does what the command is for.
    func execute() async throws
}

extension AsyncCommand {
    /// Works on the main thread. Ctrl-C ends the process as it always does.
    package func run() throws {
        guard let executor = MainThreadExecutor() else {
            throw CommandFailure(.tryAgain, "a lock cannot be made")
        }
        // Handed over, and taken back when the executor returns; all of it on this thread.
        nonisolated(unsafe) let command = self
        nonisolated(unsafe) var result: Result<Void, any Error> = .success(())
        let work: @Sendable () async -> Void = {
            do {
                try await command.execute()
            } catch {
                result = .failure(error)
            }
            executor.finish()
        }
        Task(executorPreference: executor, operation: work)
        executor.runJobs()
        try result.get()
    }
}
