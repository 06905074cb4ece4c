// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitLinux
internal import Glibc

/// The access control list of a file or a folder. With one, the permissions of the group are those of the named users, too.
enum AccessList {
    /// Returns whether a file has an access control list, or may have one.
    static func isPresent(on file: Descriptor) -> Bool {
        guard unsafe credkit_access_list_size(path(file.number)) < 0 else { return true }
        return errno != ENODATA && errno != ENOTSUP
    }

    /// Gives a file the list of another one, with the permissions in it. Returns whether it could.
    static func copy(from old: Descriptor, to new: Int32) -> Bool {
        unsafe credkit_access_list_copy(path(old.number), path(new)) == 0
    }

    /// Removes the list of a file. Returns whether it has none.
    static func remove(from file: Int32) -> Bool {
        unsafe credkit_access_list_remove(path(file)) == 0 || errno == ENODATA || errno == ENOTSUP
    }

    /// A descriptor that was opened for its path has no attributes of its own.
    private static func path(_ number: Int32) -> String { "/proc/self/fd/\(number)" }
}
