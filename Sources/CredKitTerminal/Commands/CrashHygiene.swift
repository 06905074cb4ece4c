// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc

/// Keeps a crash from writing down what was in memory.
package enum CrashHygiene {
    /// No core dump, and none of the Swift runtime's crash reports, which show registers and memory. The runtime
    /// also makes one of Ctrl-\, which then does not end the program.
    package static func apply() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
            signal(number, SIG_DFL)
        }
    }
}
