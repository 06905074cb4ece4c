// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The computer's clock.
package enum SystemClock {
    /// Seconds since 1970.
    package static func now() -> Int64 {
        var now = timespec()
        // It cannot fail for this clock.
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return Int64(now.tv_sec)
    }
}
