// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// One result that any number of tasks wait for. A task that is cancelled stops waiting; the others do not notice.
final class SharedOutcome<Value: Sendable>: Sendable {
    private enum State {
        case waiting(next: Int, [Int: CheckedContinuation<Result<Value, LoginError>, Never>])
        case done(Result<Value, LoginError>)
    }

    private let state = Lock(State.waiting(next: 0, [:]))

    /// Gives the result to all who wait and will wait. Only the first one counts.
    func give(_ result: Result<Value, LoginError>) {
        let waiting: [CheckedContinuation<Result<Value, LoginError>, Never>] = state.withLock { state in
            guard case .waiting(_, let waiting) = state else { return [] }
            state = .done(result)
            return Array(waiting.values)
        }
        for continuation in waiting { continuation.resume(returning: result) }
    }

    /// Waits for the result.
    func value() async throws(LoginError) -> Value {
        let number: Int = state.withLock { state in
            guard case .waiting(let next, let waiting) = state else { return 0 }
            state = .waiting(next: next + 1, waiting)
            return next
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result: Result<Value, LoginError>? = state.withLock { state in
                    switch state {
                    case .done(let result): return result
                    case .waiting(let next, var waiting):
                        if Task.isCancelled { return .failure(.cancelled) }
                        waiting[number] = continuation
                        state = .waiting(next: next, waiting)
                        return nil
                    }
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            let continuation: CheckedContinuation<Result<Value, LoginError>, Never>? = state.withLock {
                state in
                guard case .waiting(let next, var waiting) = state else { return nil }
                let continuation = waiting.removeValue(forKey: number)
                state = .waiting(next: next, waiting)
                return continuation
            }
            continuation?.resume(returning: .failure(.cancelled))
        }
        return try result.get()
    }
}
