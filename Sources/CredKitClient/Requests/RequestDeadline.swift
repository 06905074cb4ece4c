// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// Cancels operations at their deadline.
package enum RequestDeadline {
    /// Runs `operation` and cancels it at the deadline.
    ///
    /// The operation starts immediately, on the caller's thread. Most bodies are already available: then
    /// there is no waiting, and no deadline is watched.
    package static func run<Value: Sendable>(
        until deadline: ContinuousClock.Instant,
        _ operation: @escaping @Sendable () async throws(ClientError) -> Value
    ) async throws(ClientError) -> Value {
        let isDone = Lock(false)
        let task = Task.immediate { () async -> Result<Value, ClientError> in
            defer { isDone.withLock { $0 = true } }
            do throws(ClientError) { return .success(try await operation()) } catch { return .failure(error) }
        }
        if isDone.withLock({ $0 }) { return try value(of: await task.value, until: deadline) }
        let watch = Watchdog.shared.add(deadline) {
            // What a program does when it is cancelled must not delay other deadlines.
            Task.detached { task.cancel() }
            return nil
        }
        defer { Watchdog.shared.remove(watch) }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try value(of: result, until: deadline)
    }

    /// Returns the value of a result. What ends as cancelled after the deadline has timed out: also a body whose last piece
    /// was there when the deadline ended it, and that is asked for the next one.
    private static func value<Value>(
        of result: Result<Value, ClientError>,
        until deadline: ContinuousClock.Instant
    ) throws(ClientError) -> Value {
        if case .failure(.cancelled) = result, !Task.isCancelled, ContinuousClock.now >= deadline {
            throw .timedOut
        }
        return try result.get()
    }
}

extension SharedOutcome where Failure == ClientError {
    /// Waits for the result, until the task is cancelled.
    func value() async throws(ClientError) -> Value { try await value(orThrow: .cancelled) }
}
