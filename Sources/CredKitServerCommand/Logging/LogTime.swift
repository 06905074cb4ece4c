// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import CredKit
import CredKitSystem

/// The time of a line in the log.
enum LogTime {
    /// The current time in UTC with milliseconds, `2016-08-17T10:00:00.123Z`.
    static var now: String {
        let (seconds, rest) = SystemClock.microseconds().quotientAndRemainder(dividingBy: 1_000_000)
        let digits = String(rest / 1000 + 1000).dropFirst()
        return "\(UnixTime(seconds).description.dropLast()).\(digits)Z"
    }
}
#endif
