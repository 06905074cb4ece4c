// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A file at a path where none is, which has its name when it is whole and on the disk, or never. Only this user can
/// read it.
package struct NewFile: ~Copyable {
    private let path: [CChar]
    private let descriptor: Descriptor
    /// The name until then, on file systems that have no files without one.
    private var temporaryPath: [CChar]?
    private let operation: String

    private init(path: [CChar], descriptor: Descriptor, temporaryPath: [CChar]?, operation: String) {
        self.path = path
        self.descriptor = descriptor
        self.temporaryPath = temporaryPath
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
        try create(path, operation, hasTemporaryName: false)
    }

    /// Creates the file; with a temporary name beside its own if `hasTemporaryName`, or if it cannot be without one.
    static func create(
        _ path: [UInt8],
        _ operation: String,
        hasTemporaryName: Bool
    ) throws(SystemError) -> NewFile {
        let slash = path.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { Array(path[...$0]) } ?? [UInt8(ascii: ".")]
        let terminated = path.map { CChar(bitPattern: $0) } + [0]
        let file: NewFile
        if !hasTemporaryName, let unnamed = Descriptor.unnamed(in: folder, O_WRONLY) {
            file = NewFile(path: terminated, descriptor: unnamed, temporaryPath: nil, operation: operation)
        } else {
            let (named, name) = try Descriptor.named(in: folder, operation)
            file = NewFile(path: terminated, descriptor: named, temporaryPath: name, operation: operation)
        }
        // What the umask took away.
        guard fchmod(file.descriptor.number, 0o600) == 0 else { throw SystemError(errno, operation) }
        return file
    }

    deinit {
        if let temporaryPath { unsafe unlink(temporaryPath) }
    }

    /// Appends bytes, and waits until they are on the disk.
    package func write(_ bytes: Span<UInt8>) throws(SystemError) {
        try descriptor.writeAll(bytes, operation)
        try descriptor.synchronize(operation)
    }

    /// Gives the file its name.
    package mutating func commit() throws(SystemError) {
        guard let temporaryPath else { return try descriptor.link(asNewFileAt: path, operation) }
        var errorNumber = NewName.rename(temporaryPath, to: path)
        if errorNumber == EINVAL || errorNumber == ENOSYS {
            // File systems that cannot rename without replacing have hard links.
            errorNumber = NewName.link(temporaryPath, to: path)
        }
        guard errorNumber == 0 else { throw SystemError(errorNumber, operation) }
        self.temporaryPath = nil
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
