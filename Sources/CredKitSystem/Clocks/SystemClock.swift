// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The system clock.
package enum SystemClock {
    /// Returns the seconds since 1970.
    package static func now() -> Int64 {
        var now = timespec()
        // This clock cannot fail.
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec)
    }
}
