// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// A thread for one computation.
///
/// On Linux the pool of `async` functions takes its threads from libdispatch's global queues, so that a blocking call
/// would take one away from the pool. Starting a thread costs about 30 µs, a thousandth of the computation.
enum ComputationThread {
    /// Runs `body` on a new thread and waits for its end, also if the task is cancelled, which raises `interruption`.
    static func run<Value: Sendable>(
        _ interruption: Interruption,
        _ body: @escaping @Sendable () -> Value
    ) async throws(PasswordError) -> Value {
        // There are no more threads, or no memory for their stacks.
        let outcome = await withTaskCancellationHandler {
            await DetachedThread.value(of: body)
        } onCancel: {
            interruption.raise()
        }
        guard let outcome else { throw .busy }
        return outcome
    }
}
