// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import Glibc

/// A thread that runs blocking calls, one after the other.
///
/// On Linux the pool that `async` functions run on takes its threads from libdispatch's global queues, so that a call
/// that blocks would take one away from everybody. Whoever waits for a call stops waiting at its deadline or when its
/// task is cancelled, whether the call gives in or not. A call that does not give in keeps its thread; those that come
/// after it get another.
package final class SerialThread: Sendable {
    private let queue = JobQueue()

    /// A thread, which starts with the first call.
    package init() {}

    deinit { queue.close() }

    /// Runs `body` on the thread when what was asked for before is done.
    ///
    /// - Parameters:
    ///   - deadline: How long to wait for it, queueing included. A body that notices its token ends a moment
    ///     earlier and can say better what it was waiting for; it gets a quarter of a second more for that.
    ///   - body: What to run. It should look at the token where it waits.
    /// - Returns: What it returned.
    /// - Throws: What it threw, or ``KeychainError/timedOut`` or ``KeychainError/cancelled`` if nobody waits any more.
    package func run<Value: Sendable>(
        deadline: Duration,
        _ body: @escaping @Sendable (CallToken) -> Result<Value, KeychainError>
    ) async throws(KeychainError) -> Value {
        let queue = self.queue
        let worker = Lock<Int?>(nil)
        // The thread that the call is on, if it has begun, is its own from now on.
        let abandonThread: @Sendable () -> Void = {
            if let number = worker.withLock({ $0 }) { queue.replace(worker: number) }
        }
        let token = CallToken(deadline: .now + deadline, stepAside: abandonThread)
        let answer = Answer<Value>()
        let watch = Watchdog.shared.add(token.deadline) {
            // A call that asks a person moves its deadline, and back when it was answered.
            if token.remaining > .zero { return min(token.deadline, .now + .seconds(1)) }
            guard token.hasStopped else {
                token.stop(.timedOut)
                return .now + .milliseconds(250)
            }
            abandonThread()
            answer.give(.failure(.timedOut))
            return nil
        }
        defer { Watchdog.shared.remove(watch) }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.onGiven { continuation.resume(returning: $0) }
                let isQueued = queue.add { number in
                    worker.withLock { $0 = number }
                    do throws(KeychainError) {
                        // Nobody waits any more: what was asked for must not be done behind their back.
                        try token.check()
                        answer.give(body(token))
                    } catch {
                        answer.give(.failure(error))
                    }
                }
                if !isQueued { answer.give(.failure(.outOfMemory)) }
            }
        } onCancel: {
            token.stop(.cancelled)
            // Nobody will be there to see whether the call gives in.
            abandonThread()
            answer.give(.failure(.cancelled))
        }
        return try result.get()
    }
}

/// The first answer that is given, handed on once.
private final class Answer<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, KeychainError>?
        var receiver: (@Sendable (Result<Value, KeychainError>) -> Void)?
    }

    private let state = Lock(State())

    func give(_ result: Result<Value, KeychainError>) {
        let receiver: (@Sendable (Result<Value, KeychainError>) -> Void)? = state.withLock { state in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.receiver = nil }
            return state.receiver
        }
        receiver?(result)
    }

    func onGiven(_ receiver: @escaping @Sendable (Result<Value, KeychainError>) -> Void) {
        let result: Result<Value, KeychainError>? = state.withLock { state in
            if state.result == nil { state.receiver = receiver }
            return state.result
        }
        if let result { receiver(result) }
    }
}

/// Jobs and the thread that does them. It starts with the first job and ends when the queue is closed, or
/// when it has been replaced and its last job is done.
@safe
private final class JobQueue: @unchecked Sendable {
    // All are reached with the mutex held only, save in init and deinit.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var jobs: [@Sendable (Int) -> Void] = []
    private var isRunning = false
    /// The number of the thread that takes the next job. One with another number has been replaced.
    private var worker = 0
    private var isClosed = false

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        let status = unsafe pthread_mutex_init(mutex, nil) | pthread_cond_init(condition, nil)
        precondition(status == 0, "A lock cannot be made.")
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Adds a job, which gets the number of the thread that it runs on; `false` if there is no thread and none can be
    /// started.
    func add(_ job: @escaping @Sendable (Int) -> Void) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        if !isRunning {
            guard start() else { return false }
            isRunning = true
        }
        jobs.append(job)
        unsafe pthread_cond_signal(condition)
        return true
    }

    /// Lets a new thread take the jobs that wait, while the old one is busy with its last; nothing if that is done.
    func replace(worker number: Int) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        guard number == worker else { return }
        worker += 1
        // The old one may be idle by now. It ends, and takes no signal that is meant for the new one.
        unsafe pthread_cond_broadcast(condition)
        // If no thread can be started now, the next job tries again.
        isRunning = !jobs.isEmpty && start()
    }

    func close() {
        unsafe pthread_mutex_lock(mutex)
        isClosed = true
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    private func work(as number: Int) {
        while let job = next(for: number) { job(number) }
    }

    private func next(for number: Int) -> (@Sendable (Int) -> Void)? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if number != worker { return nil }
            if !jobs.isEmpty { return jobs.removeFirst() }
            if isClosed { return nil }
            unsafe pthread_cond_wait(condition, mutex)
        }
    }

    private func start() -> Bool {
        let number = worker
        return DetachedThread.start { self.work(as: number) }
    }
}
