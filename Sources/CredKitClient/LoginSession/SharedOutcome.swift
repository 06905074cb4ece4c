// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// A result that any number of tasks wait for. A cancelled task stops waiting; the others are not affected.
final class SharedOutcome<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, ClientError>?
        var next = 0
        /// Changed only in place: copying it for each waiting task would be slow with many of them.
        var waiting: [Int: CheckedContinuation<Result<Value, ClientError>, Never>] = [:]
    }

    private let state = Lock(State())

    /// Passes the result to all tasks that wait or will wait. Only the first call counts.
    func give(_ result: Result<Value, ClientError>) {
        let waiting = state.withLock { state -> [CheckedContinuation<Result<Value, ClientError>, Never>] in
            guard state.result == nil else { return [] }
            state.result = result
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume(returning: result) }
    }

    /// Waits for the result.
    func value() async throws(ClientError) -> Value {
        // Waiting costs more than many a result that is there already.
        if let result = state.withLock({ $0.result }) { return try result.get() }
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result = state.withLock { state -> Result<Value, ClientError>? in
                    if let result = state.result { return result }
                    if Task.isCancelled { return .failure(.cancelled) }
                    state.waiting[number] = continuation
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            let continuation = state.withLock { $0.waiting.removeValue(forKey: number) }
            continuation?.resume(returning: .failure(.cancelled))
        }
        return try result.get()
    }
}
