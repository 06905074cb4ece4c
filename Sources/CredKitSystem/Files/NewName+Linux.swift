// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitLinux
internal import Glibc

/// Names that no file has yet. Names end in a NUL byte.
enum NewName {
    /// Renames a file unless a file has the new name. Returns 0, or the error number: `EINVAL` or `ENOSYS` where that cannot
    /// be done at once.
    static func rename(_ name: [CChar], to newName: [CChar], in folder: Int32) -> Int32 {
        unsafe credkit_rename_new(folder, name, newName) == 0 ? 0 : errno
    }

    /// Gives a file another name, by a hard link, unless a file has that name. Returns 0, or the error number.
    static func link(_ name: [CChar], to newName: [CChar], in folder: Int32) -> Int32 {
        guard unsafe linkat(folder, name, folder, newName, 0) == 0 else { return errno }
        unsafe unlinkat(folder, name, 0)
        return 0
    }
}
