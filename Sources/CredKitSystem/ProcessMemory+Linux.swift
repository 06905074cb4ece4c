// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitLinux
internal import Glibc

/// Whether others can read the memory of this process.
package enum ProcessMemory {
    /// The environment variable that leaves a process open to debuggers and core dumps, if it is `1`.
    private static let override = "CREDKIT_ALLOW_CORE_DUMPS"

    /// The size of core dumps that the caller permits this process; `nil` if it was not changed.
    private static let permittedCoreSize = Lock<rlim_t?>(nil)

    /// Denies other processes of the same user access to this process's memory, and disables core dumps, unless
    /// `CREDKIT_ALLOW_CORE_DUMPS` is `1`.
    ///
    /// The limit of core dumps alone is not sufficient: the kernel ignores it if core dumps are piped to a program. Root can
    /// still attach a debugger. Child programs are not covered, except by the limit.
    ///
    /// - Returns: The number of a process that traces this one, which it did before; `nil` if there is none, or if the kernel
    ///   does not tell.
    package static func protect() -> Int? {
        guard !isOverridden else { return nil }
        // This cannot fail, except where a sandbox forbids the call. Without it, the process is as open as any other.
        _ = credkit_deny_memory_access()
        var limit = rlimit()
        if unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 {
            let size = limit.rlim_cur
            permittedCoreSize.withLock { $0 = size }
        }
        // The hard limit stays, since it could not be raised again. The denial above does not depend on limits.
        limit.rlim_cur = 0
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        // Only now, when no other one can attach any more.
        return tracer
    }

    /// Restores the limit of core dumps, for a program that takes the place of this one.
    package static func restoreCoreLimit() {
        var limit = rlimit()
        guard let size = permittedCoreSize.withLock({ $0 }),
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0
        else { return }
        limit.rlim_cur = size
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
    }

    private static var tracer: Int? {
        let label = Array("TracerPid:".utf8)
        guard let file = try? Descriptor.open("/proc/self/status", O_RDONLY),
            let status = try? file.readAll(limit: 64 << 10),
            let line = status.split(separator: UInt8(ascii: "\n")).first(where: { $0.starts(with: label) }),
            let number = Int(
                String(decoding: line.dropFirst(label.count).drop { $0 == 9 || $0 == 32 }, as: UTF8.self)
            )
        else { return nil }
        return number > 0 ? number : nil
    }

    private static var isOverridden: Bool {
        guard let value = unsafe credkit_secure_getenv(override) else { return false }
        return unsafe strcmp(value, "1") == 0
    }
}
