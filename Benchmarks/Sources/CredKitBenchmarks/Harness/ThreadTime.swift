// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// The processor time of this thread. For single-threaded work that never waits it equals the wall-clock time on an
/// idle machine, and it does not change on a busy one.
enum ThreadTime {
    static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
