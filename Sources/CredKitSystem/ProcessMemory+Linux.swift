// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitLinux
internal import Glibc

/// Whether others can read the memory of this process.
package enum ProcessMemory {
    /// The environment variable that leaves a process open to debuggers and core dumps, if it is `1`.
    private static let override = "CREDKIT_ALLOW_CORE_DUMPS"

    /// Denies other processes of the same user access to this process's memory, and disables core dumps, unless
    /// `CREDKIT_ALLOW_CORE_DUMPS` is `1`.
    ///
    /// The limit of core dumps alone is not sufficient: the kernel ignores it if core dumps are piped to a program. A
    /// debugger that has started the process stays attached, and root can attach one. Child programs are not covered,
    /// except by the limit.
    package static func protect() {
        guard !isOverridden else { return }
        // This cannot fail, except where a sandbox forbids the call. Without it, the process is as open as any other.
        _ = credkit_deny_memory_access()
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
    }

    private static var isOverridden: Bool {
        guard let value = unsafe credkit_secure_getenv(override) else { return false }
        return unsafe strcmp(value, "1") == 0
    }
}
