// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import CredKitSystem
import CredKit
import CredKitTerminal
import Glibc

/// What time it is, and what clocks on the wall show.
struct ServerClock: Sendable {
    /// A point in time.
    struct Moment: Sendable {
        /// Seconds since 1970 in UTC.
        let unixTime: Int64
        /// How far the clock on the wall is ahead of UTC, in seconds.
        let utcOffset: Int

        /// `yyyy-MM-dd HH:mm:ss` on the wall.
        var text: String {
            let wall = Int(unixTime) + utcOffset
            let second = wall.flooredQuotientAndRemainder(dividingBy: 60).remainder
            let minute = (try? LoginMinute(unixTime: unixTime, utcOffset: utcOffset))?.description ?? ""
            return "\(minute):\(second < 10 ? "0" : "")\(second)"
        }
    }

    /// Sets the zone of the whole process, once and before there are other threads.
    init(timeZone: String?) throws {
        _ = try WallClock.minute(timeZone: timeZone)
    }

    var now: Moment {
        var seconds = time(nil)
        var local = tm()
        // In the years that it cannot say, logins are refused for the time text's sake.
        let offset = localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff
        return Moment(unixTime: Int64(seconds), utcOffset: offset)
    }
}
#endif
