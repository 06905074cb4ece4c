// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The system clock.
package enum SystemClock {
    /// Returns the seconds since 1970.
    package static func now() -> Int64 { Int64(read().tv_sec) }

    /// Returns the microseconds since 1970.
    package static func microseconds() -> Int64 {
        let now = read()
        return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
    }

    private static func read() -> timespec {
        var now = timespec()
        // This clock cannot fail.
        unsafe clock_gettime(CLOCK_REALTIME, &now)
        return now
    }
}

/// The CPU clock of the calling thread, which stops while the thread waits.
package enum ThreadClock {
    /// The CPU time of the thread so far, in seconds.
    package static var computedSeconds: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
