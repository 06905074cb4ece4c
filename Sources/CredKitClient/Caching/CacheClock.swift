// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// The wall clock, beside one that cannot be set, so that it is noticed when the wall clock is set back. The age of what
/// was stored before is then unknown, and it would be fresh for longer than the server allows.
final class CacheClock: Sendable {
    private let wall: @Sendable () -> UnixTime
    private let uptime: @Sendable () -> ContinuousClock.Instant
    /// A time, and the instant when it was that late.
    private let last: Lock<(time: UnixTime, instant: ContinuousClock.Instant)?> = Lock(nil)
    /// How far it may be behind. Both clocks are read one after the other, and times have whole seconds.
    private static let tolerance = Duration.seconds(2)

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - wall: The wall clock.
    ///   - uptime: A clock that cannot be set. It goes on while the system is suspended.
    init(
        wall: @escaping @Sendable () -> UnixTime,
        uptime: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.wall = wall
        self.uptime = uptime
    }

    /// Returns the time, which only decreases where the clock was set back, and whether that is noticed with this call.
    func read() -> (time: UnixTime, wasSetBack: Bool) {
        last.withLock { last in
            let (time, instant) = (wall(), uptime())
            guard let old = last else {
                last = (time, instant)
                return (time, false)
            }
            let least = old.time + old.instant.duration(to: instant)
            // Kept while the clock is not ahead, so that parts of a second add up.
            if time <= least, time + Self.tolerance >= least { return (least, false) }
            last = (time, instant)
            return (time, time < least)
        }
    }
}
