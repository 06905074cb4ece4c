// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A thread that runs blocking calls, one after the other.
///
/// On Linux the pool that `async` functions run on takes its threads from libdispatch's global queues, so a call that
/// blocks would take one away from all others. A caller stops waiting at its deadline or when its task is cancelled,
/// even if the call does not end. A call that does not end keeps its thread, and later calls get another one.
package final class SerialThread: Sendable {
    private let queue = JobQueue()

    /// A thread, which starts with the first call.
    package init() {}

    deinit { queue.close() }

    /// Runs `body` on the thread after the calls before it, and does not wait for it.
    ///
    /// - Parameter body: What to run.
    /// - Returns: `false` if there is no thread.
    @discardableResult
    package func enqueue(_ body: @escaping @Sendable () -> Void) -> Bool { queue.add { _ in body() } }

    /// Runs `body` on the thread after the calls before it.
    ///
    /// - Parameters:
    ///   - deadline: How long to wait for it, the calls before it included. A body that looks at its token ends a
    ///     moment earlier and can say what it was waiting for; it gets a tenth of this time more for that, at most a
    ///     quarter of a second.
    ///   - convert: Returns the error to throw when the caller has stopped waiting, or there is no thread.
    ///   - body: What to run. It should look at the token where it waits.
    /// - Returns: What it returned.
    /// - Throws: What it failed with, or the result of `convert`.
    package func run<Value: Sendable, Failure: Error>(
        deadline: Duration,
        orThrow convert: @escaping @Sendable (CallFailure) -> Failure,
        _ body: @escaping @Sendable (CancellationToken) -> Result<Value, Failure>
    ) async throws(Failure) -> Value {
        let queue = self.queue
        let worker = Lock<Int?>(nil)
        // The thread that the call is on, if it has begun, is its own from now on.
        let abandonThread: @Sendable () -> Void = {
            if let number = worker.withLock({ $0 }) { queue.replace(worker: number) }
        }
        let token = CancellationToken(deadline: .now + deadline, stepAside: abandonThread)
        let answer = SharedOutcome<Value, Failure>()
        let watch = Watchdog.shared.add(token.deadline) {
            // A call that asks a person moves its deadline, and back when it was answered.
            if token.remaining > .zero { return min(token.deadline, .now + .seconds(1)) }
            guard token.hasStopped else {
                // What is told may take its time, such as a process to be killed; other deadlines must not wait for it.
                if !DetachedThread.start({ token.stop(.timedOut) }) { token.stop(.timedOut) }
                return .now + max(.milliseconds(50), min(deadline / 10, .milliseconds(250)))
            }
            abandonThread()
            answer.give(.failure(convert(.timedOut)))
            return nil
        }
        defer { Watchdog.shared.remove(watch) }
        let result = await withTaskCancellationHandler {
            let isQueued = queue.add { number in
                worker.withLock { $0 = number }
                // When the caller has stopped waiting, nothing must be done behind its back.
                answer.give(token.failure.map { .failure(convert($0)) } ?? body(token))
            }
            if !isQueued { answer.give(.failure(convert(.noThread))) }
            return await answer.result()
        } onCancel: {
            token.stop(.cancelled)
            // The caller is gone, so the call's thread cannot be waited for.
            abandonThread()
            answer.give(.failure(convert(.cancelled)))
        }
        return try result.get()
    }
}
