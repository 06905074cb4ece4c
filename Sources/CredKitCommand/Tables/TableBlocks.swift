// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTerminal
import Glibc

/// Some records of a table, one behind the other.
struct TableBlock: Sendable {
    /// The bytes of the records.
    let bytes: [UInt8]
    /// The end of each record, line ending included.
    let ends: [Int]
    /// The number of the first record, counted from 1.
    let firstNumber: Int

    /// Returns the range of a record.
    func range(_ index: Int) -> Range<Int> { (index == 0 ? 0 : ends[index - 1])..<ends[index] }
}

/// Reads a table in blocks of whole records, in bounded memory.
struct TableBlocks {
    /// The maximum size of a record in bytes.
    private let maximumByteCount: Int
    private let recognizesOtherFiles: Bool
    private let descriptor: Int32
    private let format: TableRecord.Format
    let name: String
    /// The beginning of a record that the last block did not contain.
    private var rest: [UInt8] = []
    private var isAtEnd = false
    private var nextNumber = 1

    /// How many bytes are read at once.
    private let blockByteCount: Int

    static let blockByteCount = 256 * 1024

    /// Creates a reader that starts at the current position of a descriptor, which is the beginning of the table. A file that
    /// is no table is refused if it is recognized.
    init(
        descriptor: Int32,
        format: TableRecord.Format,
        name: String,
        maximumByteCount: Int = 64 * 1024,
        blockByteCount: Int = Self.blockByteCount,
        recognizesOtherFiles: Bool = true
    ) {
        self.blockByteCount = blockByteCount
        self.maximumByteCount = maximumByteCount
        self.recognizesOtherFiles = recognizesOtherFiles
        self.descriptor = descriptor
        self.format = format
        self.name = name
    }

    /// Returns the next block, or `nil` at the end. A block has at least one record.
    mutating func next() throws -> TableBlock? {
        while true {
            var bytes = rest
            rest = []
            if !isAtEnd { try fill(&bytes) }
            if bytes.isEmpty && isAtEnd { return nil }
            if nextNumber == 1, recognizesOtherFiles, let other = OtherFile(beginning: bytes) {
                throw CommandFailure(.malformed, "\(name): \(other.description)")
            }
            var ends = bytes.withUnsafeBufferPointer { recordEnds(in: $0) }
            // The last record of a table may lack its line ending.
            if isAtEnd && ends.last ?? 0 < bytes.count { ends.append(bytes.count) }
            try cut(&bytes, &ends)
            guard !ends.isEmpty else { continue }
            nextNumber += ends.count
            return TableBlock(bytes: bytes, ends: ends, firstNumber: nextNumber - ends.count)
        }
    }

    /// Keeps what is behind the last end for the next block, and so does with a record that is too long: those before it
    /// are read first.
    private mutating func cut(_ bytes: inout [UInt8], _ ends: inout [Int]) throws {
        var start = 0
        var count = 0
        for end in ends {
            let isTooLong = end - start > maximumByteCount
            if isTooLong && count == 0 { throw tooLong(bytes[start..<end]) }
            if isTooLong { break }
            start = end
            count += 1
        }
        ends.removeLast(ends.count - count)
        rest = Array(bytes[start...])
        bytes.removeLast(bytes.count - start)
        if count == 0 && rest.count >= maximumByteCount { throw tooLong(rest[...]) }
    }

    private func tooLong(_ record: ArraySlice<UInt8>) -> CommandFailure {
        var scanner = TableScanner(format: format)
        for byte in record.prefix(maximumByteCount) { _ = scanner.consume(byte) }
        return CommandFailure(
            .malformed,
            "\(name): record \(nextNumber) is longer than \(maximumByteCount) bytes"
                + (scanner.isQuoted ? "; is a quote missing?" : "")
        )
    }

    /// Returns the ends of the complete records.
    private func recordEnds(in bytes: UnsafeBufferPointer<UInt8>) -> [Int] {
        var ends: [Int] = []
        var start = 0
        while start < bytes.count, let feed = bytes.firstIndex(of: 0x0A, from: start) {
            let line = UnsafeBufferPointer(rebasing: bytes[start..<feed])
            if format.hasQuotes, line.firstIndex(of: UInt8(ascii: "\""), from: 0) != nil {
                // A field in quotes can contain line feeds.
                var scanner = TableScanner(format: format)
                var end = start
                while end < bytes.count, scanner.consume(bytes[end]) != .end { end += 1 }
                guard end < bytes.count else { break }
                start = end + 1
            } else {
                start = feed + 1
            }
            ends.append(start)
        }
        return ends
    }

    private mutating func fill(_ bytes: inout [UInt8]) throws {
        let kept = bytes
        var errorNumber: Int32 = 0
        var readCount = 0
        bytes = [UInt8](unsafeUninitializedCapacity: kept.count + blockByteCount) { buffer, count in
            _ = buffer.initialize(fromContentsOf: kept)
            repeat {
                readCount = read(
                    descriptor,
                    buffer.baseAddress?.advanced(by: kept.count),
                    blockByteCount
                )
            } while readCount < 0 && errno == EINTR
            if readCount < 0 { errorNumber = errno }
            count = kept.count + max(0, readCount)
        }
        guard errorNumber == 0 else {
            throw CommandFailure(.inputOutput, "\(name): \(SystemError.message(of: errorNumber))")
        }
        isAtEnd = readCount == 0
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the index of the first byte of a value from a position on.
    func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        guard let base = baseAddress, start < count,
            let found = memchr(base + start, Int32(byte), count - start)
        else { return nil }
        return UnsafeRawPointer(found) - UnsafeRawPointer(base)
    }
}
