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
        // With O_EXCL the file cannot get a name later.
        if let file = unnamed(in: folder, O_RDWR | O_EXCL) { return file }
        let (file, path) = try named(in: folder, operation)
        guard unsafe unlink(path) == 0 else { throw SystemError(errno, operation) }
        return file
    }

    /// Opens a new file without a name.
    ///
    /// - Parameters:
    ///   - folder: The folder on whose file system it stands, without a NUL byte.
    ///   - flags: How it is opened.
    /// - Returns: The file; `nil` if that fails, as on file systems that have no files without a name. The error of
    ///   ``named(in:_:)`` tells more then.
    static func unnamed(in folder: [UInt8], _ flags: Int32) -> Descriptor? {
        let path = folder.map { CChar(bitPattern: $0) } + [0]
        // O_TMPFILE, which Swift does not import.
        let number = unsafe Glibc.open(path, flags | O_CLOEXEC | O_DIRECTORY | 0o20_000_000, 0o600)
        return number >= 0 ? Descriptor(number) : nil
    }

    /// Opens a new file under a name that no other file has, for reading and writing.
    ///
    /// - Parameters:
    ///   - folder: Its folder, without a NUL byte.
    ///   - operation: What fails if this does, for people.
    /// - Returns: The file, and its path, which ends in a NUL byte.
    /// - Throws: ``SystemError``.
    static func named(
        in folder: [UInt8],
        _ operation: String
    ) throws(SystemError) -> (file: Descriptor, path: [CChar]) {
        var path = (folder + Array("/credkit-XXXXXX".utf8)).map { CChar(bitPattern: $0) } + [0]
        let number = unsafe mkstemp(&path)
        guard number >= 0 else { throw SystemError(errno, operation) }
        let file = Descriptor(number)
        guard fcntl(number, F_SETFD, FD_CLOEXEC) == 0 else {
            let errorNumber = errno
            unsafe unlink(path)
            throw SystemError(errorNumber, operation)
        }
        return (file, path)
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
        try Self.transfer(bytes.count, atEnd: ENOSPC, operation) { position in
            unsafe pwrite(
                number,
                bytes.baseAddress?.advanced(by: position),
                bytes.count - position,
                offset + position
            )
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
        try Self.transfer(bytes.count, atEnd: EIO, operation) { position in
            unsafe pread(
                number,
                bytes.baseAddress?.advanced(by: position),
                bytes.count - position,
                offset + position
            )
        }
    }

    /// Calls `step` with the number of bytes that are done, until they are all. It returns how many more it did, like `read`;
    /// 0 is the error `atEnd`.
    private static func transfer(
        _ count: Int,
        atEnd: Int32,
        _ operation: String,
        _ step: (Int) -> Int
    ) throws(SystemError) {
        var position = 0
        while position < count {
            let done = step(position)
            if done > 0 {
                position += done
            } else if done == 0 || errno != EINTR {
                throw SystemError(done == 0 ? atEnd : errno, operation)
            }
        }
    }
}
