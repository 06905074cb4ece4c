// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// Work that other code can cancel, not only the task that waits for it. One caller at a time runs something.
final class CancellableWork: Sendable {
    private struct State {
        var isCancelled = false
        /// Cancels what is running.
        var cancel: (@Sendable () -> Void)?
    }

    private let state = Lock(State())

    /// Cancels what is running, and everything that is yet to begin.
    func cancel() {
        let cancel = state.withLock { state in
            state.isCancelled = true
            return state.cancel
        }
        cancel?()
    }

    /// Runs an operation in a task of its own, which begins on the caller's thread.
    func run<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws(ClientError) -> Value
    ) async throws(ClientError) -> Value {
        guard !state.withLock({ $0.isCancelled }) else { throw .cancelled }
        let task = Task.immediate { () async -> Result<Value, ClientError> in
            do throws(ClientError) { return .success(try await operation()) } catch { return .failure(error) }
        }
        let isCancelled = state.withLock { state in
            state.cancel = { task.cancel() }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        // It retains the task with its result, which must not be deallocated with the lock held.
        let finished = state.withLock { state in
            defer { state.cancel = nil }
            return state.cancel
        }
        withExtendedLifetime(finished) {}
        // It may have ended before it could be cancelled.
        guard !state.withLock({ $0.isCancelled }) else { throw .cancelled }
        return try result.get()
    }
}
