// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An ordinary file that is read several times, and must be the same each time.
package struct UnchangedFile: Sendable {
    /// What changes with a file's content, as far as the system can tell.
    fileprivate struct Identity: Equatable, Sendable {
        let device: UInt64
        let inode: UInt64
        let byteCount: Int64
        let modified: [Int]

        init(_ file: Descriptor) throws(SystemError) {
            let status = try file.status()
            guard status.st_mode & S_IFMT == S_IFREG else {
                throw SystemError(.inputOutput, "it is no ordinary file")
            }
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
            byteCount = Int64(status.st_size)
            modified = [status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
        }
    }

    private let path: String
    private let identity: Identity

    /// Looks at a file. Symbolic links are followed.
    package init(_ path: String) throws(SystemError) {
        guard !path.utf8.contains(0) else { throw SystemError(EINVAL, "cannot read a file") }
        self.path = path
        do throws(SystemError) {
            identity = try Identity(Self.open(path))
        } catch {
            throw SystemError(error.kind, "cannot read \(path): \(error.description)")
        }
    }

    /// The size in bytes.
    package var byteCount: Int64 { identity.byteCount }

    private static func open(_ path: String) throws(SystemError) -> Descriptor {
        // A pipe would wait for its writer.
        let number = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { throw SystemError(errno, "cannot open it") }
        return Descriptor(number)
    }

    /// Opens the file to read it from its start.
    ///
    /// - Returns: The open file.
    /// - Throws: SystemError, also if the file has changed.
    package func reader() throws(SystemError) -> Reader {
        let reader = try Reader(path: path, file: Self.open(path), identity: identity)
        try reader.check()
        return reader
    }

    /// The open file.
    package final class Reader: Sendable {
        private let path: String
        private let file: Descriptor
        private let identity: Identity

        fileprivate init(path: String, file: Descriptor, identity: Identity) {
            self.path = path
            self.file = file
            self.identity = identity
        }

        /// Throws if the file has changed.
        fileprivate func check() throws(SystemError) {
            guard try Identity(file) == identity else {
                throw SystemError(.inputOutput, "\(path) has changed while it was being sent")
            }
        }

        /// Reads bytes at a position.
        ///
        /// - Parameters:
        ///   - position: The position, which is that behind the bytes read before.
        ///   - limit: The maximum number of bytes.
        /// - Returns: The bytes; none at the end. The last ones are returned only if the file has not changed.
        /// - Throws: SystemError, also if the file has changed.
        package func read(at position: Int64, limit: Int) throws(SystemError) -> [UInt8] {
            let left = identity.byteCount - position
            guard left > 0 else { return [] }
            let wanted = Int(min(left, Int64(limit)))
            let bytes = try file.readAll(limit: wanted, expecting: wanted)
            if bytes.count < wanted || Int64(wanted) == left { try check() }
            guard bytes.count == wanted else { throw SystemError(EIO, "cannot read \(path)") }
            return bytes
        }
    }
}
