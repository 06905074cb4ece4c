// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// The time that a processor worked for this thread. For work that waits for nothing and has one thread it is
/// what a clock shows on a machine that does nothing else, and stays so on one that does.
enum ThreadTime {
    static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
