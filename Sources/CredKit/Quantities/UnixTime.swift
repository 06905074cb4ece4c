// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// A point in time: whole seconds since 1970-01-01 00:00:00 UTC, without leap seconds, as POSIX counts them.
///
/// ```swift
/// let expiry = UnixTime.now + .seconds(3600)
/// print(UnixTime(1_471_428_000))                  // 2016-08-17T10:00:00Z
/// ```
///
/// Arithmetic stays within the range of the type instead of overflowing.
public struct UnixTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The seconds since 1970-01-01 00:00:00 UTC; negative before.
    public let seconds: Int64

    /// Creates a point in time.
    ///
    /// - Parameter seconds: The seconds since 1970-01-01 00:00:00 UTC; negative before.
    public init(_ seconds: Int64) { self.seconds = seconds }

    /// The time of the computer's clock.
    public static var now: UnixTime { UnixTime(SystemClock.now()) }

    /// Returns the point in time after a duration, whose fraction of a second is dropped.
    public static func + (time: UnixTime, duration: Duration) -> UnixTime {
        time.adding(seconds: duration.components.seconds)
    }

    /// The same for a number of seconds. Taking a duration apart divides numbers of 128 bits.
    func adding(seconds count: Int64) -> UnixTime {
        let (sum, overflow) = seconds.addingReportingOverflow(count)
        return UnixTime(overflow ? (count < 0 ? .min : .max) : sum)
    }

    /// Returns the point in time before a duration, whose fraction of a second is dropped.
    public static func - (time: UnixTime, duration: Duration) -> UnixTime {
        let (difference, overflow) = time.seconds.subtractingReportingOverflow(duration.components.seconds)
        return UnixTime(overflow ? (duration.components.seconds < 0 ? .max : .min) : difference)
    }

    /// Returns the duration from one point in time to another; negative if the first one is earlier.
    public static func - (later: UnixTime, earlier: UnixTime) -> Duration {
        let (difference, overflow) = later.seconds.subtractingReportingOverflow(earlier.seconds)
        return .seconds(overflow ? (later.seconds < 0 ? .min : .max) : difference)
    }

    /// Returns whether one point in time is before another.
    public static func < (left: UnixTime, right: UnixTime) -> Bool { left.seconds < right.seconds }

    /// The time in UTC as RFC 3339 writes it, such as `2016-08-17T10:00:00Z`. Outside the years 0001 to 9999, which
    /// that standard does not cover, the number of seconds.
    public var description: String {
        guard let minute = try? Legacy.TimestampedLogin.Minute(unixTime: seconds) else { return "\(seconds)" }
        let second = Int(seconds).flooredQuotientAndRemainder(dividingBy: 60).remainder
        let text = minute.description
        return "\(text.prefix(10))T\(text.suffix(5)):\(second < 10 ? "0" : "")\(second)Z"
    }
}
