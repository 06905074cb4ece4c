// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Glibc

/// The time of a line in the log.
enum LogTime {
    /// The current time in UTC with milliseconds, `2016-08-17T10:00:00.123Z`.
    static var now: String {
        var now = timespec()
        // This clock cannot fail.
        clock_gettime(CLOCK_REALTIME, &now)
        let digits = String(now.tv_nsec / 1_000_000 + 1000).dropFirst()
        return "\(UnixTime(Int64(now.tv_sec)).description.dropLast()).\(digits)Z"
    }
}
