// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

extension LoginSession {
    /// Runs operations that must not overlap one after the other: logins, logouts, renewals, saving.
    ///
    /// - Parameter body: The operation, which runs after all earlier ones. It is not cancelled with the
    ///   caller.
    /// - Returns: Its result, and a function that cancels it.
    func inTurn<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(ClientError) -> Value
    ) -> (outcome: SharedOutcome<Value, ClientError>, cancel: @Sendable () -> Void) {
        let outcome = SharedOutcome<Value, ClientError>()
        let task = state.withLock { state in
            let previous = state.queue
            let task = Task {
                await previous?.value
                do throws(ClientError) {
                    outcome.give(.success(try await body()))
                } catch {
                    outcome.give(.failure(error))
                }
            }
            state.queue = task
            return task
        }
        return (outcome, { task.cancel() })
    }

    /// Runs an operation in turn that is cancelled with the caller.
    func inTurnForCaller<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(ClientError) -> Value
    ) async throws(ClientError) -> Value {
        let (outcome, cancel) = inTurn(body)
        do throws(ClientError) {
            return try await outcome.value()
        } catch {
            if error == .cancelled { cancel() }
            throw error
        }
    }

    /// Runs an operation to its end, even if the calling task is cancelled.
    func shielded<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(ClientError) -> Value
    ) async throws(ClientError) -> Value {
        let task = Task { () async -> Result<Value, ClientError> in
            do throws(ClientError) { return .success(try await body()) } catch { return .failure(error) }
        }
        return try await task.value.get()
    }
}
