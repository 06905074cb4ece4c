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

    /// Returns how much later it is than at a time since the creation, in whole seconds, rounded up; zero if next to no time has
    /// passed.
    func correction(since start: Duration) -> Duration {
        let waited = (elapsed - start).clamped
        return waited < .milliseconds(250) ? .zero : .seconds(waited.components.seconds + 1)
    }

    /// Waits until a time since the creation. Throws `CancellationError` if the task is cancelled.
    func sleep(until elapsed: Duration) async throws { try await wait(elapsed) }
}

extension Duration {
    /// A duration that no store can tell from forever: 34,000 years.
    private static let longest = Duration.seconds(1 << 40)

    /// The duration within 0 and 34,000 years, so that arithmetic with it cannot overflow.
    var clamped: Duration { min(max(self, .zero), .longest) }

    /// The duration rounded up to whole seconds, and at least one second, as the header Retry-After needs it.
    var retryAfter: Duration { .seconds(max(1, clamped.secondsRoundedUp)) }

    /// The whole seconds, rounded up. The duration must be clamped.
    var secondsRoundedUp: Int64 {
        let (seconds, attoseconds) = components
        return attoseconds > 0 ? seconds + 1 : seconds
    }

    /// The whole microseconds, rounded down. The duration must be clamped.
    var microseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
