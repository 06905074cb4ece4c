// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A result that any number of tasks wait for. A cancelled task can stop waiting; the others are not affected.
package final class SharedOutcome<Value: Sendable, Failure: Error>: Sendable {
    private struct State {
        var result: Result<Value, Failure>?
        var next = 0
        /// Changed only in place: copying it for each waiting task would be slow with many of them.
        var waiting: [Int: CheckedContinuation<Result<Value, Failure>, Never>] = [:]
    }

    private let state = Lock(State())

    /// A result that is not there yet.
    package init() {}

    /// Passes the result to all tasks that wait or will wait. Only the first call counts.
    package func give(_ result: Result<Value, Failure>) {
        let waiting = state.withLock { state -> [CheckedContinuation<Result<Value, Failure>, Never>] in
            guard state.result == nil else { return [] }
            state.result = result
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume(returning: result) }
    }

    /// Waits for the result. The task's cancellation has no effect.
    package func result() async -> Result<Value, Failure> {
        await withCheckedContinuation { wait(in: $0, as: number(), orReturn: nil) }
    }

    /// Waits for the result.
    ///
    /// - Parameter cancelled: What to throw when the task is cancelled.
    /// - Returns: The value.
    /// - Throws: The failure, and `cancelled`.
    package func value(orThrow cancelled: Failure) async throws(Failure) -> Value {
        // Waiting costs more than many a result that is there already.
        if let result = state.withLock({ $0.result }) { return try result.get() }
        let number = number()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { wait(in: $0, as: number, orReturn: cancelled) }
        } onCancel: {
            let continuation = state.withLock { $0.waiting.removeValue(forKey: number) }
            continuation?.resume(returning: .failure(cancelled))
        }
        return try result.get()
    }

    private func number() -> Int {
        state.withLock { state in
            state.next += 1
            return state.next
        }
    }

    private func wait(
        in continuation: CheckedContinuation<Result<Value, Failure>, Never>,
        as number: Int,
        orReturn cancelled: Failure?
    ) {
        let result = state.withLock { state -> Result<Value, Failure>? in
            if let result = state.result { return result }
            if let cancelled, Task.isCancelled { return .failure(cancelled) }
            state.waiting[number] = continuation
            return nil
        }
        if let result { continuation.resume(returning: result) }
    }
}
