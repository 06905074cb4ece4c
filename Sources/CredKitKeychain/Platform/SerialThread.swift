// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import Glibc

/// A thread that runs blocking calls, one after the other.
///
/// On Linux the pool that `async` functions run on takes its threads from libdispatch's global queues, so that a call
/// that blocks would take one away from everybody. Whoever waits for a call stops waiting at its deadline or when its
/// task is cancelled, whether the call gives in or not.
final class SerialThread: Sendable {
    private let queue = JobQueue()

    deinit { queue.close() }

    /// Runs `body` on the thread when what was asked for before is done.
    ///
    /// - Parameters:
    ///   - deadline: How long to wait for it, queueing included. A body that notices its token ends a moment
    ///     earlier and can say better what it was waiting for; it gets a quarter of a second more for that.
    ///   - body: What to run. It should look at the token where it waits.
    func run<Value: Sendable>(
        deadline: Duration,
        _ body: @escaping @Sendable (CallToken) -> Result<Value, KeychainError>
    ) async throws(KeychainError) -> Value {
        let token = CallToken(deadline: .now + deadline)
        let answer = Answer<Value>()
        let watches = [
            Watchdog.shared.add(token.deadline) { token.stop(.timedOut) },
            Watchdog.shared.add(token.deadline + .milliseconds(250)) { answer.give(.failure(.timedOut)) },
        ]
        defer { for watch in watches { Watchdog.shared.remove(watch) } }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.onGiven { continuation.resume(returning: $0) }
                let isQueued = queue.add {
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

/// Jobs and the thread that does them. It starts with the first job and ends when the queue is closed.
@safe
private final class JobQueue: @unchecked Sendable {
    // All are reached with the mutex held only, save in init and deinit.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var jobs: [@Sendable () -> Void] = []
    private var isRunning = false
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

    /// Adds a job; `false` if there is no thread and none can be started.
    func add(_ job: @escaping @Sendable () -> Void) -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        if !isRunning {
            guard DetachedThread.start({ self.work() }) else { return false }
            isRunning = true
        }
        jobs.append(job)
        unsafe pthread_cond_signal(condition)
        return true
    }

    func close() {
        unsafe pthread_mutex_lock(mutex)
        isClosed = true
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    private func work() {
        while let job = next() { job() }
    }

    private func next() -> (@Sendable () -> Void)? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while jobs.isEmpty {
            if isClosed { return nil }
            unsafe pthread_cond_wait(condition, mutex)
        }
        return jobs.removeFirst()
    }
}
