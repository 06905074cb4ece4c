// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import Glibc

/// Reads an open file descriptor to its end, in pieces.
package struct FileReader {
    /// Large enough that the cost of system calls is negligible, small enough for the second-level cache.
    package static let defaultChunkByteCount = 128 * 1024

    private let descriptor: Int32
    private let chunkByteCount: Int

    package init(descriptor: Int32, chunkByteCount: Int = FileReader.defaultChunkByteCount) {
        self.descriptor = descriptor
        self.chunkByteCount = chunkByteCount
    }

    /// Calls `body` with each piece until the end of the file.
    ///
    /// - Parameters:
    ///   - convert: Converts a read error into the error to throw. All data before the error has been passed to
    ///     `body` by then.
    ///   - body: Receives the data of one system call, at least one byte.
    /// - Throws: The error that `convert` returned, or that `body` threw.
    package func forEachChunk<Failure: Error>(
        orThrow convert: (FileError) -> Failure,
        _ body: (Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        // This is only advice: it has no effect on pipes, and a failure does not matter.
        _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL)
        let buffer = unsafe UnsafeMutableBufferPointer<UInt8>.allocateOnPage(byteCount: chunkByteCount)
        defer { unsafe buffer.deallocate() }
        while true {
            let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 {
                try body(unsafe buffer.extracting(..<count).span)
            } else if count == 0 {
                return
            } else if errno != EINTR {
                throw convert(FileError(.read, errorNumber: errno))
            }
        }
    }
}
