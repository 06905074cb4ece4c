// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import CredKitSystem
import CredKit
import CredKitTerminal
import Glibc

/// The current time, and the local time.
struct ServerClock: Sendable {
    /// A point in time.
    struct Moment: Sendable {
        /// Seconds since 1970 in UTC.
        let unixTime: Int64
        /// The offset of the local time from UTC, in seconds.
        let utcOffset: Int

        /// The local time as `yyyy-MM-dd HH:mm:ss`.
        var text: String {
            let wall = Int(unixTime) + utcOffset
            let second = wall.flooredQuotientAndRemainder(dividingBy: 60).remainder
            let minute =
                (try? Legacy.TimestampedLogin.Minute(unixTime: unixTime, utcOffset: utcOffset))?.description
                ?? ""
            return "\(minute):\(second < 10 ? "0" : "")\(second)"
        }
    }

    /// Sets the time zone of the whole process, once and before other threads exist.
    init(timeZone: String?) throws {
        _ = try WallClock.minute(timeZone: timeZone)
    }

    var now: Moment {
        var seconds = time(nil)
        var local = tm()
        // For years that localtime_r cannot represent, no challenge can be issued and logins fail.
        let offset = localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff
        return Moment(unixTime: Int64(seconds), utcOffset: offset)
    }
}
#endif
