// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import Glibc

/// Why nothing can be saved in a folder.
struct FolderProblem {
    /// The reason, for people.
    let description: String

    /// The free space in bytes that a save needs at least.
    private static let neededByteCount: UInt64 = 256 * 1024

    /// Looks for a reason why nothing can be saved in a folder, or in the first one above it that exists. Changes
    /// nothing.
    ///
    /// - Parameter folder: The folder's absolute path.
    /// - Returns: The reason; `nil` if there is none.
    static func find(_ folder: String) -> FolderProblem? {
        var path = folder[...]
        while access(String(path), F_OK) != 0 && errno == ENOENT, let end = path.lastIndex(of: "/") {
            path = end == path.startIndex ? "/" : path[..<end]
        }
        let existing = String(path)
        // The rights of the effective user, since a program may run with another one's.
        guard faccessat(AT_FDCWD, existing, W_OK | X_OK, AT_EACCESS) == 0 else {
            return FolderProblem(description: "\(existing): \(SystemError.message(of: errno))")
        }
        var space = statvfs()
        guard statvfs(existing, &space) == 0 else { return nil }
        // Some file systems have no count of files: both numbers are 0.
        let isOutOfFiles = space.f_files > 0 && space.f_favail == 0
        guard isOutOfFiles || UInt64(space.f_bavail) * UInt64(space.f_frsize) < neededByteCount else {
            return nil
        }
        return FolderProblem(description: "\(existing): \(SystemError.message(of: ENOSPC))")
    }
}
