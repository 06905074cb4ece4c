// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal
import Glibc

/// The local time.
struct ServerClock: Sendable {
    /// Sets the time zone of the whole process, once and before other threads exist.
    init(timeZone: String?) throws {
        _ = try WallClock.minute(timeZone: timeZone)
    }

    /// Returns the offset of the local time from UTC.
    func utcOffset(at time: UnixTime) -> Duration {
        var seconds = time_t(time.seconds)
        var local = tm()
        // For years that localtime_r cannot represent, no challenge can be issued and logins fail.
        return .seconds(localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff)
    }
}
