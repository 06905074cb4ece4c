// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// Reads a file line by line in bounded memory.
package struct LineReader {
    /// The longest line that is kept, in bytes: far beyond the longest path with its digest.
    package static let maximumLineByteCount = 64 * 1024

    private let file: InputFile
    private let chunkByteCount: Int

    /// - Parameters:
    ///   - file: What is read.
    ///   - chunkByteCount: How much is read before `beforeWaiting` is called, if that is at hand, in bytes.
    package init(_ file: InputFile, chunkByteCount: Int = FileReader.defaultChunkByteCount) {
        self.file = file
        self.chunkByteCount = chunkByteCount
    }

    /// Calls `body` with each line, without its line feed and without a carriage return before that, and with
    /// whether it is whole: of a line that is too long to keep only the beginning is.
    ///
    /// `beforeWaiting` is called when no further line is at hand and reading on may take a while.
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
        // What is done with the lines is what takes long.
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
