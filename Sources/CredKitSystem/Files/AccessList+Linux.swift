// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitLinux
internal import Glibc

/// The access control list of a folder. With one, the permissions of the group are those of the named users, too.
enum AccessList {
    /// Returns whether a folder has an access control list, or may have one.
    static func isPresent(on folder: Descriptor) -> Bool {
        // A descriptor that was opened for its path has no attributes of its own.
        guard unsafe credkit_access_list_size("/proc/self/fd/\(folder.number)") < 0 else { return true }
        return errno != ENODATA && errno != ENOTSUP
    }
}
