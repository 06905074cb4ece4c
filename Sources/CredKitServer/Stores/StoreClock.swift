// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The time since a store was created, on a clock that is never set back.
struct StoreClock: Sendable {
    private let read: @Sendable () -> Duration

    init<Source: Clock>(_ clock: Source) where Source.Duration == Duration {
        let start = clock.now
        read = { start.duration(to: clock.now) }
    }

    /// The time since the creation. Read it while the store is locked, so that it never decreases between operations.
    var elapsed: Duration { read() }
}
