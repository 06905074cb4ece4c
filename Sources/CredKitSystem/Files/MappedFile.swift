// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// An ordinary file whose bytes are read as memory, without loading them.
///
/// Reading a page that a shrunk file no longer has raises SIGBUS. `checkUnchanged()` before each access leaves only the
/// moment between the two. A file over which another one is renamed never shrinks.
@safe
package final class MappedFile: Sendable {
    private let file: Descriptor
    private let status: (byteCount: Int, seconds: Int, nanoseconds: Int)
    /// Read only, and mapped as long as this object lives.
    private nonisolated(unsafe) let memory: UnsafeRawBufferPointer

    /// Opens a file and maps it.
    ///
    /// - Parameters:
    ///   - path: Its path, without a NUL byte. Symbolic links are followed.
    ///   - operation: What fails if this does, for people.
    /// - Throws: ``SystemError``.
    package init(_ path: [UInt8], _ operation: String) throws(SystemError) {
        file = try Descriptor(ordinaryFileAt: path, operation)
        status = Self.identity(try file.status())
        guard status.byteCount > 0 else {
            unsafe memory = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        let start = unsafe mmap(nil, status.byteCount, PROT_READ, MAP_SHARED, file.number, 0)
        guard let start = unsafe start, unsafe start != MAP_FAILED else {
            throw SystemError(errno, operation)
        }
        // Accesses are far apart: reading ahead would only fill the page cache.
        _ = unsafe madvise(start, status.byteCount, MADV_RANDOM)
        unsafe memory = UnsafeRawBufferPointer(start: start, count: status.byteCount)
    }

    deinit {
        if let start = unsafe memory.baseAddress {
            unsafe munmap(UnsafeMutableRawPointer(mutating: start), memory.count)
        }
    }

    private static func identity(_ status: stat) -> (byteCount: Int, seconds: Int, nanoseconds: Int) {
        (Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }

    /// The size in bytes when the file was opened.
    package var byteCount: Int { status.byteCount }

    /// Returns whether the file has the size and the time of modification that it had when it was opened.
    package func isUnchanged() -> Bool {
        guard let now = try? file.status() else { return false }
        return Self.identity(now) == status
    }

    /// Copies bytes out of the file, which must be unchanged.
    ///
    /// - Parameters:
    ///   - offset: The position of the first one.
    ///   - count: Their number. What is beyond the end of the file is left out.
    /// - Returns: The bytes.
    package func bytes(at offset: Int, count: Int) -> [UInt8] {
        guard offset >= 0, offset < byteCount else { return [] }
        return unsafe Array(memory[offset..<offset + min(count, byteCount - offset)])
    }

    /// Returns two little-endian numbers that are next to each other in the file, which must be unchanged.
    ///
    /// - Parameter offset: The position of the first one.
    /// - Returns: The numbers, or `nil` if the file does not have them.
    @inline(__always)
    package func numbers(at offset: Int) -> (UInt64, UInt64)? {
        guard offset >= 0, offset <= byteCount - 16 else { return nil }
        return unsafe (
            UInt64(littleEndian: memory.loadUnaligned(fromByteOffset: offset, as: UInt64.self)),
            UInt64(littleEndian: memory.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
        )
    }
}
