// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A file at a path where none is, which has its name when it is whole and on the disk, or never. Only this user can
/// read it.
package struct NewFile: ~Copyable {
    private let path: [CChar]
    private let descriptor: Descriptor
    /// Whether the file has its name already, on file systems that have no files without one.
    private var mustRemove: Bool
    private let operation: String

    private init(path: [CChar], descriptor: Descriptor, mustRemove: Bool, operation: String) {
        self.path = path
        self.descriptor = descriptor
        self.mustRemove = mustRemove
        self.operation = operation
    }

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - path: Its path, without a NUL byte.
    ///   - operation: What fails if this does, for people.
    /// - Returns: The file.
    /// - Throws: ``SystemError``.
    package static func create(_ path: [UInt8], _ operation: String) throws(SystemError) -> NewFile {
        let terminated = path.map { CChar(bitPattern: $0) } + [0]
        let slash = path.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { terminated[...$0] + [0] } ?? [46, 0]
        // O_TMPFILE, which Swift does not import.
        var number = unsafe open(Array(folder), O_WRONLY | O_CLOEXEC | 0o20_000_000 | O_DIRECTORY, 0o600)
        let hasName = number < 0
        if hasName {
            number = unsafe open(terminated, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        }
        guard number >= 0 else { throw SystemError(errno, operation) }
        let file = NewFile(
            path: terminated,
            descriptor: Descriptor(number),
            mustRemove: hasName,
            operation: operation
        )
        // What the umask took away.
        guard fchmod(number, 0o600) == 0 else { throw SystemError(errno, operation) }
        return file
    }

    deinit {
        if mustRemove { unsafe unlink(path) }
    }

    /// Appends bytes, and waits until they are on the disk.
    package func write(_ bytes: Span<UInt8>) throws(SystemError) {
        try descriptor.writeAll(bytes, operation)
        try descriptor.synchronize(operation)
    }

    /// Gives the file its name.
    package mutating func commit() throws(SystemError) {
        if !mustRemove { try descriptor.link(asNewFileAt: path, operation) }
        mustRemove = false
    }
}

extension Descriptor {
    /// Gives an open file a name that no file has. Unlike renaming, this does not replace a file, and it names what was
    /// written, even if another file has the old name by now.
    ///
    /// - Parameters:
    ///   - path: The path, which ends in a NUL byte.
    ///   - operation: What fails if this does, for people.
    /// - Throws: ``SystemError``.
    package func link(asNewFileAt path: [CChar], _ operation: String) throws(SystemError) {
        guard unsafe linkat(AT_FDCWD, "/proc/self/fd/\(number)", AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0
        else {
            throw SystemError(errno, operation)
        }
    }
}
