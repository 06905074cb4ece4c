// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The users that exist for this process.
enum UserNamespace {
    /// Returns whether a number stands for users that do not exist in this container: the system's real root and others.
    ///
    /// In a container that root has not set up, the system's own folders have this owner, and programs in it cannot
    /// distinguish root from the others. They are trusted: otherwise nothing could be stored there. On a system without
    /// such a container, the number is that of an ordinary user, who is not trusted.
    static func isUnmapped(_ user: uid_t) -> Bool {
        guard number("/proc/sys/kernel/overflowuid") == user,
            let map = try? Descriptor.open("/proc/self/uid_map", O_RDONLY).readAll(limit: 64 << 10)
        else { return false }
        return !String(decoding: map, as: UTF8.self).split(separator: "\n").contains { line in
            let fields = line.split(separator: " ").compactMap { UInt64($0) }
            return fields.count == 3 && fields[0] <= UInt64(user) && UInt64(user) - fields[0] < fields[2]
        }
    }

    private static func number(_ path: String) -> uid_t? {
        guard let bytes = try? Descriptor.open(path, O_RDONLY).readAll(limit: 100) else { return nil }
        return uid_t(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
