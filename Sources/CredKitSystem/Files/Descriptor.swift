// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import Glibc

/// A file descriptor that is closed when the object is released.
package final class Descriptor: Sendable {
    package let number: Int32

    /// Takes ownership of an open descriptor.
    package init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    /// Opens a file. Symbolic links are not followed, and opening never blocks, as it would for a pipe.
    package static func open(
        _ path: String,
        in directory: Int32 = AT_FDCWD,
        _ flags: Int32,
        mode: mode_t = 0,
        named name: @autoclosure () -> String? = nil
    ) throws(SystemError) -> Descriptor {
        let number = unsafe openat(
            directory,
            path,
            flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
            mode
        )
        guard number >= 0 else { throw SystemError(errno, "cannot open \(name() ?? path)") }
        return Descriptor(number)
    }

    /// Returns another descriptor for what is open.
    ///
    /// - Parameters:
    ///   - number: A descriptor that another owns.
    ///   - operation: What fails if this does, for people.
    /// - Returns: The new one.
    /// - Throws: ``SystemError``.
    package static func duplicate(
        _ number: Int32,
        _ operation: String
    ) throws(SystemError) -> Descriptor {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw SystemError(errno, operation) }
        return Descriptor(copy)
    }

    /// Returns the status of the file.
    package func status() throws(SystemError) -> stat {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw SystemError(errno, "cannot look at a file") }
        return status
    }

    /// Reads a file whose size is known, at once: there is no further call that finds its end.
    ///
    /// - Parameter count: The number of bytes to read.
    /// - Returns: The bytes; fewer if the file has fewer.
    /// - Throws: ``SystemError`` if the file cannot be read.
    package func contents(count: Int) throws(SystemError) -> [UInt8] {
        var errorNumber: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
            while initializedCount < count {
                let rest = unsafe buffer[initializedCount...]
                let result = unsafe read(
                    number,
                    UnsafeMutableBufferPointer(rebasing: rest).baseAddress,
                    rest.count
                )
                if result > 0 {
                    initializedCount += result
                } else if result == 0 {
                    break
                } else if errno != EINTR {
                    errorNumber = errno
                    break
                }
            }
        }
        guard errorNumber == 0 else { throw SystemError(errorNumber, "cannot read a file") }
        return bytes
    }

    /// Reads up to the end of the file, at most `limit` bytes.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes to read.
    ///   - expecting: The expected number of bytes: so many are read at once, if the file is as large.
    /// - Returns: The bytes.
    /// - Throws: ``SystemError`` if the file cannot be read.
    package func readAll(limit: Int, expecting: Int = 4096) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var size = 4096
        if expecting > size { size = try max(size, min(expecting, Int(status().st_size))) }
        while bytes.count < limit {
            let wanted = min(size, limit - bytes.count)
            var errorNumber: Int32 = 0
            let step = unsafe [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
                var result = unsafe read(number, buffer.baseAddress, wanted)
                while result < 0 && errno == EINTR {
                    result = unsafe read(number, buffer.baseAddress, wanted)
                }
                if result < 0 { errorNumber = errno }
                count = max(0, result)
            }
            guard errorNumber == 0 else { throw SystemError(errorNumber, "cannot read a file") }
            if step.isEmpty { break }
            if bytes.isEmpty { bytes = step } else { bytes += step }
            size = min(size * 4, 1 << 20)
        }
        return bytes
    }

    /// Writes all bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - operation: What fails if this does, for people.
    /// - Throws: ``SystemError``.
    package func writeAll(_ bytes: [UInt8], _ operation: String) throws(SystemError) {
        try writeAll(bytes.span, operation)
    }

    /// Writes all bytes; see ``writeAll(_:_:)``.
    package func writeAll(_ bytes: Span<UInt8>, _ operation: String) throws(SystemError) {
        let errorNumber: Int32 = unsafe bytes.withUnsafeBytes { buffer in
            var position = 0
            while position < buffer.count {
                let result = unsafe write(
                    number,
                    buffer.baseAddress?.advanced(by: position),
                    buffer.count - position
                )
                if result > 0 {
                    position += result
                } else if result < 0 && errno != EINTR {
                    return errno
                }
            }
            return 0
        }
        guard errorNumber == 0 else { throw SystemError(errorNumber, operation) }
    }

    /// Waits until all that was written is on the disk.
    package func synchronize(_ operation: String) throws(SystemError) {
        guard fsync(number) == 0 else { throw SystemError(errno, operation) }
    }
}

extension Descriptor {
    /// Returns the names of all files in a folder.
    ///
    /// - Parameter path: The folder's name in messages.
    /// - Returns: The names.
    /// - Throws: ``SystemError`` if the folder cannot be read.
    package func entryNames(named path: String = "") throws(SystemError) -> [String] {
        let copy = unsafe openat(number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0, let stream = unsafe fdopendir(copy) else {
            if copy >= 0 { close(copy) }
            throw SystemError(errno, "cannot list the folder \(path)")
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            names.append(name)
        }
        return names
    }
}

extension Descriptor {
    /// Opens an ordinary file to read it. Symbolic links are followed. Opening never blocks, as it would for a pipe.
    ///
    /// - Parameters:
    ///   - path: Its path.
    ///   - operation: What fails if this does, for people.
    /// - Throws: ``SystemError``.
    package convenience init(ordinaryFileAt path: [UInt8], _ operation: String) throws(SystemError) {
        guard !path.contains(0) else { throw SystemError(EINVAL, operation) }
        let terminated = path.map { CChar(bitPattern: $0) } + [0]
        let number = unsafe Glibc.open(terminated, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard number >= 0 else { throw SystemError(errno, operation) }
        self.init(number)
        guard try status().st_mode & S_IFMT == S_IFREG else {
            throw SystemError(.inputOutput, "\(operation): it is no ordinary file")
        }
    }

    /// Lets the system begin to read the beginning of the file, and does not wait for it.
    package func expectReading(count: Int) {
        // Advice: whether it is taken makes no difference to what is read.
        _ = posix_fadvise(number, 0, off_t(count), POSIX_FADV_WILLNEED)
    }

    /// Reads bytes at a position, which does not move the descriptor's own.
    ///
    /// - Parameters:
    ///   - offset: The position of the first one.
    ///   - count: Their number; fewer are returned at the end of the file.
    ///   - operation: What fails if this does, for people.
    /// - Returns: The bytes.
    /// - Throws: ``SystemError``.
    package func readBytes(at offset: Int, count: Int, _ operation: String) throws(SystemError) -> [UInt8] {
        var errorNumber: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let result = unsafe pread(
                    number,
                    buffer.baseAddress?.advanced(by: filled),
                    count - filled,
                    off_t(offset + filled)
                )
                if result > 0 {
                    filled += result
                } else if result == 0 {
                    return
                } else if errno != EINTR {
                    errorNumber = errno
                    return
                }
            }
        }
        guard errorNumber == 0 else { throw SystemError(errorNumber, operation) }
        return bytes
    }
}
