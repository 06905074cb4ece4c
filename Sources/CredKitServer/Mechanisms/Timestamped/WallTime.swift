// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The time that a clock with an offset from UTC shows, in seconds as if it were UTC.
enum WallTime {
    /// Returns the time of a clock; `nil` if the offset is 24 hours or more. The time is clamped to the years 1970 to
    /// 6325, so that arithmetic with minutes cannot overflow: the clock of a machine may have any value.
    static func seconds(at now: UnixTime, utcOffset: Duration) -> Int64? {
        guard utcOffset > .seconds(-86_400), utcOffset < .seconds(86_400) else { return nil }
        return min(max(now.seconds, 0), 1 << 37) + utcOffset.components.seconds
    }
}
