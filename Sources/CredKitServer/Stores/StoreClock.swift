// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The time since a store was created, on a clock that is never set back.
struct StoreClock: Sendable {
    private let read: @Sendable () -> Duration
    private let wait: @Sendable (Duration) async throws -> Void

    init<Source: Clock>(_ clock: Source) where Source.Duration == Duration {
        let start = clock.now
        read = { start.duration(to: clock.now) }
        wait = { try await clock.sleep(until: start.advanced(by: $0), tolerance: nil) }
    }

    /// The time since the creation. Read it while the store is locked, so that it never decreases between operations.
    var elapsed: Duration { read() }

    /// Waits until a time since the creation. Throws `CancellationError` if the task is cancelled.
    func sleep(until elapsed: Duration) async throws { try await wait(elapsed) }
}
