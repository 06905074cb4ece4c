// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import Glibc

/// Does something when a deadline passes, unless it was taken back before.
///
/// One thread watches all deadlines of the process. A call that ends in time, as nearly all do, costs an entry in a table
/// and no timer.
@safe
final class Watchdog: @unchecked Sendable {
    static let shared = Watchdog()

    private struct Entry {
        var deadline: ContinuousClock.Instant
        let action: @Sendable () -> ContinuousClock.Instant?
    }

    // All are reached with the mutex held only, save in init.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var entries: [Int: Entry] = [:]
    private var nextNumber = 0
    /// Until when the thread sleeps; `nil` while there is none.
    private var wakeUp: ContinuousClock.Instant?

    private init() {
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
        precondition(status == 0, "A lock cannot be made.")
    }

    /// Calls `action` on another thread when the deadline has passed. It must not take long; if it answers with another
    /// deadline, it is called again then.
    ///
    /// - Returns: What ``remove(_:)`` takes it back by.
    func add(
        _ deadline: ContinuousClock.Instant,
        _ action: @escaping @Sendable () -> ContinuousClock.Instant?
    ) -> Int {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        nextNumber += 1
        entries[nextNumber] = Entry(deadline: deadline, action: action)
        if let wakeUp {
            if deadline < wakeUp { unsafe pthread_cond_signal(condition) }
        } else if DetachedThread.start({ self.watch() }) {
            wakeUp = deadline
        }
        return nextNumber
    }

    /// Takes a deadline back, if it has not passed.
    func remove(_ number: Int) {
        unsafe pthread_mutex_lock(mutex)
        entries[number] = nil
        unsafe pthread_mutex_unlock(mutex)
    }

    private func watch() {
        unsafe pthread_mutex_lock(mutex)
        while true {
            let now = ContinuousClock.now
            let due = entries.filter { $0.value.deadline <= now }
            if !due.isEmpty {
                unsafe pthread_mutex_unlock(mutex)
                let next = due.mapValues { $0.action() }
                unsafe pthread_mutex_lock(mutex)
                for (number, deadline) in next where entries[number] != nil {
                    if let deadline { entries[number]?.deadline = deadline } else { entries[number] = nil }
                }
                continue
            }
            // With nothing to watch it looks once a minute, so that entries rarely wake it.
            let next = entries.values.map(\.deadline).min() ?? now + .seconds(60)
            wakeUp = next
            wait(for: next - now)
        }
    }

    private func wait(for time: Duration) {
        var until = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &until)
        let (seconds, attoseconds) = time.components
        let nanoseconds = until.tv_nsec + Int(attoseconds / 1_000_000_000)
        until.tv_sec += Int(min(seconds, 3600)) + nanoseconds / 1_000_000_000
        until.tv_nsec = nanoseconds % 1_000_000_000
        unsafe pthread_cond_timedwait(condition, mutex, &until)
    }
}
