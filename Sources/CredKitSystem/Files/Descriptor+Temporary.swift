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
        let path = folder.map { CChar(bitPattern: $0) } + [0]
        let number = unsafe Glibc.open(path, pathOnly | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError(errno, operation) }
        let folder = Descriptor(number)
        // With O_EXCL the file cannot get a name later.
        if let file = unnamed(in: folder, O_RDWR | O_EXCL) { return file }
        let (file, name) = try named(in: folder, operation)
        guard unsafe unlinkat(folder.number, name, 0) == 0 else { throw SystemError(errno, operation) }
        return file
    }

    /// O_PATH, which Swift does not import: opens a file for its path alone, which takes no right to read it.
    static let pathOnly: Int32 = 0o10_000_000

    /// Opens a new file without a name.
    ///
    /// - Parameters:
    ///   - folder: The folder on whose file system it stands.
    ///   - flags: How it is opened.
    /// - Returns: The file; `nil` if that fails, as on file systems that have no files without a name. The error of
    ///   ``named(in:_:)`` tells more then.
    package static func unnamed(in folder: Descriptor, _ flags: Int32) -> Descriptor? {
        // O_TMPFILE, which Swift does not import.
        let flags = flags | O_CLOEXEC | O_DIRECTORY | 0o20_000_000
        let number = unsafe openat(folder.number, ".", flags, 0o600)
        return number >= 0 ? Descriptor(number) : nil
    }

    /// Opens a new file under a name that no other file has, for reading and writing.
    ///
    /// - Parameters:
    ///   - folder: Its folder.
    ///   - operation: What fails if this does, for people.
    /// - Returns: The file, and its name, which ends in a NUL byte.
    /// - Throws: ``SystemError``.
    package static func named(
        in folder: Descriptor,
        _ operation: String
    ) throws(SystemError) -> (file: Descriptor, name: [CChar]) {
        let name = temporaryName()
        let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let number = unsafe openat(folder.number, name, flags, 0o600)
        guard number >= 0 else { throw SystemError(errno, operation) }
        return (Descriptor(number), name)
    }

    /// Returns a random name, which ends in a NUL byte.
    static func temporaryName() -> [CChar] {
        Array(".credkit-\(String(UInt64.random(in: .min ... .max), radix: 36))".utf8CString)
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
