// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// The time by which stored responses age: that of the wall clock, which is ignored where it is set back. Otherwise
/// responses would be fresh for longer than the server allows.
///
/// A clock that was ahead and is corrected makes responses look older until the process ends: they are requested again.
final class CacheClock: Sendable {
    private let wall: @Sendable () -> UnixTime
    private let uptime: @Sendable () -> ContinuousClock.Instant
    /// A time, and the instant when it was that late.
    private let last: Lock<(time: UnixTime, instant: ContinuousClock.Instant)?> = Lock(nil)

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

    /// The time. It never decreases.
    func now() -> UnixTime {
        last.withLock { last in
            let (time, instant) = (wall(), uptime())
            guard let old = last else {
                last = (time, instant)
                return time
            }
            let least = old.time + old.instant.duration(to: instant)
            // Kept while it is not ahead, so that parts of a second add up.
            guard time > least else { return least }
            last = (time, instant)
            return time
        }
    }
}
