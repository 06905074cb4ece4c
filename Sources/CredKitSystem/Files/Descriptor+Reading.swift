// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

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
