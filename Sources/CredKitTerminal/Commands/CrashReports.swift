// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc

/// Prevents a crash from writing out the content of memory.
package enum CrashReports {
    /// Disables core dumps and the Swift runtime's crash reports, which show registers and memory. The runtime would
    /// also report a crash on Ctrl-\, and the program would not end.
    package static func apply() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
            signal(number, SIG_DFL)
        }
    }
}
