// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The file that a new one is about to replace.
package enum ReplacedFile {
    /// Gives a new file the group, the access control list and the permissions of the one that it replaces, as if that one
    /// had been overwritten.
    ///
    /// Where that is not possible, access is taken away and never given: a group that this user is not a member of loses
    /// its access, and a list that cannot be kept leaves the file to this user alone.
    ///
    /// - Parameters:
    ///   - old: The name of the file. It has no effect unless it is an ordinary file of this user: others must not choose
    ///     who can read the new one.
    ///   - folder: Its folder.
    ///   - new: The new file.
    /// - Returns: 0, or an error number.
    package static func passAccess(
        of old: UnsafePointer<CChar>,
        in folder: Int32,
        to new: Int32
    ) -> Int32 {
        // The file may be readable by others only.
        let number = unsafe openat(folder, old, Descriptor.pathOnly | O_NOFOLLOW | O_CLOEXEC)
        guard number >= 0 else { return errno == ENOENT ? 0 : errno }
        let file = Descriptor(number)
        var (before, after) = (stat(), stat())
        guard unsafe fstat(number, &before) == 0, unsafe fstat(new, &after) == 0 else { return errno }
        guard before.st_mode & S_IFMT == S_IFREG, before.st_uid == geteuid() else { return 0 }
        let hasList = AccessList.isPresent(on: file)
        let hasGroup = before.st_gid == after.st_gid || fchown(new, uid_t.max, before.st_gid) == 0
        // A new file can have inherited a list from its folder.
        let keepsList = hasList && hasGroup && AccessList.copy(from: file, to: new)
        let isExact = keepsList || (AccessList.remove(from: new) && !hasList)
        return fchmod(new, permissions(before.st_mode, isExact: isExact, hasGroup: hasGroup)) == 0 ? 0 : errno
    }

    /// Returns the permissions of the new file.
    ///
    /// - Parameters:
    ///   - old: The permissions of the old file.
    ///   - isExact: Whether the new file has the same list, or neither file has one.
    ///   - hasGroup: Whether the new file has the same group.
    /// - Returns: The permissions.
    private static func permissions(_ old: mode_t, isExact: Bool, hasGroup: Bool) -> mode_t {
        guard isExact else { return old & 0o700 }
        // Members of the old group are among the others now.
        return hasGroup ? old & 0o777 : old & 0o700 | old & old >> 3 & 0o007
    }
}
