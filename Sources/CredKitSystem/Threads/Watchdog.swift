// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Runs an action when a deadline passes, unless the deadline was removed before.
///
/// One thread watches all deadlines of the process. A call that ends in time, as nearly all do, costs an entry in a table
/// and no timer.
package final class Watchdog: Sendable {
    package static let shared = Watchdog()

    private struct Entry: Sendable {
        var deadline: ContinuousClock.Instant
        let action: @Sendable () -> ContinuousClock.Instant?
    }

    private struct State: Sendable {
        var entries: [Int: Entry] = [:]
        var nextNumber = 0
        /// Until when the thread sleeps; `nil` while there is none.
        var wakesAt: ContinuousClock.Instant?
    }

    private let state = Condition(State())

    /// Calls `action` on another thread when the deadline has passed. The action must not take long; if it returns
    /// another deadline, it is called again then.
    ///
    /// - Returns: The number to pass to ``remove(_:)``.
    package func add(
        _ deadline: ContinuousClock.Instant,
        _ action: @escaping @Sendable () -> ContinuousClock.Instant?
    ) -> Int {
        let (number, mustWake) = state.withLock { state in
            state.nextNumber += 1
            state.entries[state.nextNumber] = Entry(deadline: deadline, action: action)
            if let wakesAt = state.wakesAt {
                // After a suspension the thread sleeps longer than it should: its clock stood still meanwhile.
                return (state.nextNumber, deadline < wakesAt || wakesAt <= .now)
            }
            if DetachedThread.start({ self.watch() }) { state.wakesAt = deadline }
            return (state.nextNumber, false)
        }
        if mustWake { state.notifyAll() }
        return number
    }

    /// Removes a deadline that has not passed.
    package func remove(_ number: Int) { state.withLock { $0.entries[number] = nil } }

    private func watch() {
        while true {
            let due: [Int: Entry] = state.wait { state in
                let now = ContinuousClock.now
                let due = state.entries.filter { $0.value.deadline <= now }
                guard due.isEmpty else { return .finish(due) }
                // With nothing to watch it looks once a minute, so that new entries rarely wake it.
                let next = state.entries.values.map(\.deadline).min() ?? now + .seconds(60)
                // Deadlines that are close together are handled together: each look takes as long as there are deadlines.
                let wakesAt = max(next, now + .milliseconds(2))
                state.wakesAt = wakesAt
                return .wait(state.entries.isEmpty ? wakesAt - now : min(wakesAt - now, .seconds(10)))
            }
            let next = due.mapValues { $0.action() }
            state.withLock { state in
                for (number, deadline) in next where state.entries[number] != nil {
                    if let deadline {
                        state.entries[number]?.deadline = deadline
                    } else {
                        state.entries[number] = nil
                    }
                }
            }
        }
    }
}
