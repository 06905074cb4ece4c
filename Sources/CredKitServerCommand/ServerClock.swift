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
        let time: UnixTime
        /// The offset of the local time from UTC.
        let utcOffset: Duration

        /// The local time as `yyyy-MM-dd HH:mm:ss`.
        var text: String {
            let wall = (time + utcOffset).seconds
            let second = Int(wall).flooredQuotientAndRemainder(dividingBy: 60).remainder
            let minute = (try? Legacy.TimestampedLogin.Minute(unixTime: wall))?.description ?? ""
            return "\(minute):\(second < 10 ? "0" : "")\(second)"
        }
    }

    /// Sets the time zone of the whole process, once and before other threads exist.
    init(timeZone: String?) throws {
        _ = try WallClock.minute(timeZone: timeZone)
    }

    var now: Moment {
        let time = UnixTime.now
        return Moment(time: time, utcOffset: utcOffset(at: time))
    }

    /// Returns the offset of the local time from UTC.
    func utcOffset(at time: UnixTime) -> Duration {
        var seconds = time_t(time.seconds)
        var local = tm()
        // For years that localtime_r cannot represent, no challenge can be issued and logins fail.
        return .seconds(localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff)
    }
}
#endif
