// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// Reads a file line by line in bounded memory.
package struct LineReader {
    /// The maximum number of bytes kept of a line: far more than the longest path with its digest.
    package static let maximumLineByteCount = 64 * 1024

    private let file: InputFile
    private let chunkByteCount: Int

    /// - Parameters:
    ///   - file: The file to read.
    ///   - chunkByteCount: The number of bytes to read before `beforeWaiting` is called, if they are available.
    package init(_ file: InputFile, chunkByteCount: Int = FileReader.defaultChunkByteCount) {
        self.file = file
        self.chunkByteCount = chunkByteCount
    }

    /// Calls `body` with each line, without its line feed and without a carriage return before the line feed. If a line
    /// is too long, `body` gets only its beginning, and `isWhole` is `false`.
    ///
    /// Calls `beforeWaiting` when no further line is available and the next read may take a while.
    package func forEachLine(
        _ body: (_ line: ArraySlice<UInt8>, _ isWhole: Bool) throws -> Void,
        beforeWaiting: () throws -> Void = {}
    ) throws {
        var line: [UInt8] = []
        var isTooLong = false

        func finishLine() throws {
            try body(line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...], !isTooLong)
            line.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        // Processing the lines takes the time, not reading them, so this reports no progress.
        try file.forEachChunk(byteCount: chunkByteCount, showsProgress: false) { chunk in
            for index in chunk.indices {
                let byte = chunk[index]
                if byte == UInt8(ascii: "\n") {
                    try finishLine()
                } else if line.count < Self.maximumLineByteCount {
                    line.append(byte)
                } else {
                    isTooLong = true
                }
            }
            try beforeWaiting()
        }
        if !line.isEmpty { try finishLine() }
    }
}
