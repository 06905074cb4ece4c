// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A file at a path where none is, which has its name when it is whole and on the disk, or never. Only this user can
/// read it.
package struct NewFile: ~Copyable {
    private let path: OutputPath
    private let descriptor: Descriptor
    /// The name until then, on file systems that have no files without one.
    private var temporaryName: [CChar]?
    private let operation: String

    private init(path: OutputPath, descriptor: Descriptor, temporaryName: [CChar]?, operation: String) {
        self.path = path
        self.descriptor = descriptor
        self.temporaryName = temporaryName
        self.operation = operation
    }

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - path: Its path.
    ///   - operation: What fails if this does, for people.
    /// - Returns: The file.
    /// - Throws: ``SystemError``; `insecureFile` if another user has put a link on the way, see ``OutputPath``.
    package static func create(_ path: [UInt8], _ operation: String) throws(SystemError) -> NewFile {
        try create(path, operation, hasTemporaryName: false)
    }

    /// Creates the file; with a temporary name beside its own if `hasTemporaryName`, or if it cannot be without one.
    static func create(
        _ path: [UInt8],
        _ operation: String,
        hasTemporaryName: Bool
    ) throws(SystemError) -> NewFile {
        let path = try OutputPath(newFileAt: path, operation)
        let file: NewFile
        if !hasTemporaryName, let unnamed = Descriptor.unnamed(in: path.folder, O_WRONLY) {
            file = NewFile(path: path, descriptor: unnamed, temporaryName: nil, operation: operation)
        } else {
            let (named, name) = try Descriptor.named(in: path.folder, operation)
            file = NewFile(path: path, descriptor: named, temporaryName: name, operation: operation)
        }
        // What the umask took away.
        guard fchmod(file.descriptor.number, 0o600) == 0 else { throw SystemError(errno, operation) }
        return file
    }

    deinit {
        if let temporaryName { unsafe unlinkat(path.folder.number, temporaryName, 0) }
    }

    /// Appends bytes, and waits until they are on the disk.
    package func write(_ bytes: Span<UInt8>) throws(SystemError) {
        try descriptor.writeAll(bytes, operation)
        try descriptor.synchronize(operation)
    }

    /// Gives the file its name.
    package mutating func commit() throws(SystemError) {
        guard let temporaryName else { return try descriptor.link(asNewFileAt: path, operation) }
        var errorNumber = NewName.rename(temporaryName, to: path.name, in: path.folder.number)
        if errorNumber == EINVAL || errorNumber == ENOSYS {
            // File systems that cannot rename without replacing have hard links.
            errorNumber = NewName.link(temporaryName, to: path.name, in: path.folder.number)
        }
        guard errorNumber == 0 else { throw SystemError(errorNumber, operation) }
        self.temporaryName = nil
    }
}

extension Descriptor {
    /// Gives an open file a name that no file has. Unlike renaming, this does not replace a file, and it names what was
    /// written, even if another file has the old name by now.
    ///
    /// - Parameters:
    ///   - path: The place of the name.
    ///   - operation: What fails if this does, for people.
    /// - Throws: ``SystemError``.
    package func link(asNewFileAt path: OutputPath, _ operation: String) throws(SystemError) {
        try link(as: path.name, in: path.folder, operation)
    }

    /// Gives an open file a name that no file has.
    private func link(
        as name: [CChar],
        in folder: Descriptor,
        _ operation: String
    ) throws(SystemError) {
        guard
            unsafe linkat(AT_FDCWD, "/proc/self/fd/\(number)", folder.number, name, AT_SYMLINK_FOLLOW) == 0
        else { throw SystemError(errno, operation) }
    }

    /// Gives an open file without a name a random one, from which it can be renamed.
    ///
    /// - Parameters:
    ///   - folder: The folder of the name.
    ///   - operation: What fails if this does, for people.
    /// - Returns: The name, which ends in a NUL byte.
    /// - Throws: ``SystemError``.
    package func linkTemporarily(
        in folder: Descriptor,
        _ operation: String
    ) throws(SystemError) -> [CChar] {
        let name = Self.temporaryName()
        try link(as: name, in: folder, operation)
        return name
    }
}
