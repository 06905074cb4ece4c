// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A value behind a lock that threads can wait on until it has changed.
@safe
package final class Condition<Value>: @unchecked Sendable {
    /// What a waiting thread does next.
    package enum Step<Result> {
        /// Stop waiting.
        case finish(Result)
        /// Look again after the next signal, or when this time has passed.
        case wait(Duration? = nil)
    }

    // All are accessed with the mutex held only, except in deinit, when no other thread is left.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var value: Value

    package init(_ value: sending Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe condition.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        let status =
            unsafe pthread_mutex_init(mutex, nil) | pthread_condattr_init(&attributes)
            | pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            | pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
        precondition(status == 0, "A condition variable cannot be made.")
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Calls `body` with the value while no other thread has it. Threads that wait are not woken.
    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(&value)
    }

    /// Wakes the threads that wait.
    package func notifyAll() { unsafe pthread_cond_broadcast(condition) }

    /// Calls `body` as ``withLock(_:)`` does, and then wakes the threads that wait.
    package func change<Result>(_ body: (inout Value) -> Result) -> Result {
        defer { notifyAll() }
        return withLock(body)
    }

    /// Calls `body` with the value, now and after each change, until it has a result.
    package func wait<Result>(_ body: (inout Value) -> Step<Result>) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            switch body(&value) {
            case .finish(let result): return result
            case .wait(nil): unsafe pthread_cond_wait(condition, mutex)
            case .wait(let time?): sleep(for: time)
            }
        }
    }

    private func sleep(for time: Duration) {
        var until = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &until)
        let (seconds, attoseconds) = max(.zero, time).components
        let nanoseconds = until.tv_nsec + Int(attoseconds / 1_000_000_000)
        // A longer sleep is continued by the loop.
        until.tv_sec += Int(min(seconds, 3600)) + nanoseconds / 1_000_000_000
        until.tv_nsec = nanoseconds % 1_000_000_000
        unsafe pthread_cond_timedwait(condition, mutex, &until)
    }
}
