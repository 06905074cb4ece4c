// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// A wait of a millisecond, and how much longer it took.
struct Lateness: Sendable {
    let start, end: ContinuousClock.Instant

    var time: Duration { start.duration(to: end) - .milliseconds(1) }

    func overlaps(_ other: Lateness) -> Bool { start < other.end && other.start < end }
}

/// A thread that only sleeps a millisecond at a time: when it is late, the machine is busy with other work.
final class TimerWitness: @unchecked Sendable {
    private let lock = NSCondition()
    private var isStopped = false
    private var isOver = false
    private var lateness: [Lateness] = []

    init() {
        Thread { [self] in
            while !lock.withLock({ isStopped }) {
                let start = ContinuousClock.now
                usleep(1000)
                lateness.append(Lateness(start: start, end: .now))
            }
            lock.withLock {
                isOver = true
                lock.signal()
            }
        }.start()
    }

    /// Ends the thread. Returns all of its waits.
    func stop() -> [Lateness] {
        lock.withLock {
            isStopped = true
            while !isOver { lock.wait() }
            return lateness
        }
    }
}
