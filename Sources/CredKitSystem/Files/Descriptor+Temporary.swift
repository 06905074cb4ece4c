// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

extension Descriptor {
    /// Opens a file without a name, which only this process can open, and which the system removes when the process
    /// ends, however it ends.
    ///
    /// - Parameters:
    ///   - folder: The folder on whose file system it stands, without a NUL byte.
    ///   - operation: What fails if this does, for people.
    /// - Returns: The file, open for reading and writing.
    /// - Throws: ``SystemError``.
    package static func temporary(
        in folder: [UInt8],
        _ operation: String
    ) throws(SystemError) -> Descriptor {
        let path = folder.map { CChar(bitPattern: $0) }
        // O_TMPFILE, which Swift does not import. With O_EXCL the file cannot get a name later.
        let flags = O_RDWR | O_EXCL | O_CLOEXEC
        let number = unsafe Glibc.open(path + [0], flags | 0o20_000_000 | O_DIRECTORY, 0o600)
        if number >= 0 { return Descriptor(number) }
        guard errno == EOPNOTSUPP || errno == EISDIR else { throw SystemError(errno, operation) }
        // File systems that have no files without a name.
        var template = path + "/credkit-XXXXXX".utf8.map { CChar(bitPattern: $0) } + [0]
        let named = unsafe mkstemp(&template)
        guard named >= 0, fcntl(named, F_SETFD, FD_CLOEXEC) == 0 else { throw SystemError(errno, operation) }
        let file = Descriptor(named)
        guard unsafe unlink(template) == 0 else { throw SystemError(errno, operation) }
        return file
    }

    /// Writes all bytes at a position, whichever other threads read and write the file.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - offset: The position of the first byte.
    ///   - operation: What fails if this does, for people.
    /// - Throws: ``SystemError``.
    package func writeAll(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int,
        _ operation: String
    ) throws(SystemError) {
        var position = 0
        while position < bytes.count {
            let count = unsafe pwrite(
                number,
                bytes.baseAddress?.advanced(by: position),
                bytes.count - position,
                offset + position
            )
            if count > 0 {
                position += count
            } else if count == 0 || errno != EINTR {
                throw SystemError(count == 0 ? ENOSPC : errno, operation)
            }
        }
    }

    /// Fills memory with bytes from a position.
    ///
    /// - Parameters:
    ///   - bytes: The memory.
    ///   - offset: The position of the first byte.
    ///   - operation: What fails if this does, for people.
    /// - Throws: ``SystemError``, also if the file is shorter.
    package func readAll(
        into bytes: UnsafeMutableRawBufferPointer,
        at offset: Int,
        _ operation: String
    ) throws(SystemError) {
        var position = 0
        while position < bytes.count {
            let count = unsafe pread(
                number,
                bytes.baseAddress?.advanced(by: position),
                bytes.count - position,
                offset + position
            )
            if count > 0 {
                position += count
            } else if count == 0 || errno != EINTR {
                throw SystemError(count == 0 ? EIO : errno, operation)
            }
        }
    }
}
