// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import Glibc

/// A folder that only this user can change, held open so that it cannot be replaced.
package final class PrivateDirectory: Sendable {
    package let path: String
    private let descriptor: Descriptor

    /// The descriptor, for the system calls whose names end in `at`.
    package var number: Int32 { descriptor.number }

    /// Opens a folder. If `isCreated`, a missing folder is created with its parents, accessible to this user only. No
    /// other user may be able to put another folder in its place; see ``TrustedPath``.
    package init(_ path: String, isCreated: Bool) throws(SystemError) {
        self.path = path
        descriptor = try TrustedPath.open(path, isCreated: isCreated)
        let status = try descriptor.status()
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw SystemError(.insecureFile, "the folder \(path) belongs to another user")
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw SystemError(.insecureFile, "others can write into the folder \(path): run chmod go-w on it")
        }
    }

    /// Returns the names of all files in the folder.
    package func names() throws(SystemError) -> [String] { try descriptor.entryNames(named: path) }

    /// Opens a file in the folder that only this user can change.
    package func open(_ name: String, _ flags: Int32, mode: mode_t = 0) throws(SystemError) -> Descriptor {
        try opened(name, flags, mode).file
    }

    /// Reads a file in the folder that only this user can change.
    ///
    /// - Parameters:
    ///   - name: The name of the file.
    ///   - limit: The maximum number of bytes to read.
    ///   - meanwhile: What to do while the system reads a file that it does not have in memory.
    /// - Returns: The bytes of the file, or of its beginning. What is appended meanwhile is missing.
    /// - Throws: ``SystemError``.
    package func contents(
        of name: String,
        limit: Int,
        meanwhile: () -> Void = {}
    ) throws(SystemError) -> [UInt8] {
        let (file, size) = try opened(name, O_RDONLY, 0)
        file.expectReading(count: min(size, limit))
        meanwhile()
        return try file.contents(count: min(size, limit))
    }

    private func opened(
        _ name: String,
        _ flags: Int32,
        _ mode: mode_t
    ) throws(SystemError) -> (file: Descriptor, size: Int) {
        let file = try Descriptor.open(name, in: number, flags, mode: mode, named: "\(path)/\(name)")
        let status = try file.status()
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SystemError(.insecureFile, "\(path)/\(name) is no ordinary file")
        }
        guard status.st_uid == geteuid() else {
            throw SystemError(.insecureFile, "\(path)/\(name) belongs to another user")
        }
        guard status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw SystemError(.insecureFile, "others can write to \(path)/\(name): run chmod 600 on it")
        }
        // What is written in place would change the file under its other name, too.
        guard flags & O_ACCMODE == O_RDONLY || status.st_nlink == 1 else {
            throw SystemError(
                .insecureFile,
                "\(path)/\(name) has a second name, under which it would be changed"
            )
        }
        return (file, Int(status.st_size))
    }

    /// Creates a new file that only this user can read. Fails if the name exists.
    package func create(_ name: String, _ operation: String) throws(SystemError) -> Descriptor {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = unsafe openat(number, name, flags, 0o600)
        guard descriptor >= 0 else { throw SystemError(errno, operation) }
        let file = Descriptor(descriptor)
        // The umask may have removed permissions.
        guard fchmod(descriptor, 0o600) == 0 else {
            let errorNumber = errno
            remove(name)
            throw SystemError(errorNumber, operation)
        }
        return file
    }

    /// Removes a file if it exists.
    package func remove(_ name: String) { _ = unsafe unlinkat(number, name, 0) }

    /// Renames a file, and replaces an existing file of the new name. Returns 0, or the error number.
    package func rename(_ name: String, to newName: String) -> Int32 {
        unsafe renameat(number, name, number, newName) == 0 ? 0 : errno
    }

    /// Adds a second name to a file; the name must not exist. Returns 0, or the error number.
    package func link(_ name: String, to newName: String) -> Int32 {
        unsafe linkat(number, name, number, newName, 0) == 0 ? 0 : errno
    }

    /// Returns whether a name exists.
    package func contains(_ name: String) -> Bool { status(of: name) != nil }

    /// Returns the status of a name, without following a symbolic link; `nil` if the name does not exist.
    package func status(of name: String) -> stat? {
        var status = stat()
        return unsafe fstatat(number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    /// Waits until the folder's own entries are on the disk.
    package func synchronize() throws(SystemError) {
        guard fsync(number) == 0 else {
            throw SystemError(errno, "cannot write the folder \(path) to the disk")
        }
    }
}
