// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The CPU clock of the calling thread, which stops while the thread waits.
package enum ThreadClock {
    /// The CPU time of the thread so far, in seconds.
    package static var computedSeconds: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
