// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// A thread for one computation.
///
/// On Linux the pool of `async` functions takes its threads from libdispatch's global queues, so that a blocking call
/// would take one away from the pool. Starting a thread costs about 30 µs, a thousandth of the computation.
enum ComputationThread {
    /// Runs `body` on a new thread, when it is the computation's turn on its core, and waits for its end. If the task is
    /// cancelled, the interruption that `body` receives is raised.
    static func run<Value: Sendable>(
        in seat: SharedCore.Seat,
        _ body: @escaping @Sendable (Interruption) -> Value
    ) async throws(PasswordError) -> Value {
        let interruption = Interruption(seat: seat)
        let outcome = await withTaskCancellationHandler {
            await DetachedThread.value {
                seat.begin()
                defer { seat.end() }
                return body(interruption)
            }
        } onCancel: {
            interruption.raise()
        }
        // There are no more threads, or no memory for their stacks.
        guard let outcome else {
            seat.end()
            throw .busy
        }
        return outcome
    }
}
