// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import CredKitTerminal
import Glibc

/// Reads a table record by record, in bounded memory.
struct TableReader {
    /// The maximum size of a record in bytes; larger when reading back the output, whose hashes are longer.
    private let maximumByteCount: Int

    private let descriptor: Int32
    private let format: TableRecord.Format
    private let name: String
    private var buffer: [UInt8] = []
    private var position = 0
    private var isAtEnd = false

    /// The number of the record that was read last, counted from 1. In tables without line breaks inside fields it is
    /// the line number.
    private(set) var recordNumber = 0

    /// The total number of bytes of all records that were read.
    private(set) var byteCount = 0

    /// Creates a reader that starts at the current position of a descriptor.
    init(descriptor: Int32, format: TableRecord.Format, name: String, isReadBack: Bool = false) {
        maximumByteCount = isReadBack ? 96 * 1024 : 64 * 1024
        self.descriptor = descriptor
        self.format = format
        self.name = name
    }

    /// Returns the next record, or `nil` at the end.
    mutating func next() throws -> TableRecord? {
        var record: [UInt8] = []
        var scanner = TableScanner(format: format)
        while true {
            while position < buffer.count {
                let byte = buffer[position]
                position += 1
                record.append(byte)
                if scanner.consume(byte) == .end { return finish(record) }
                guard record.count < maximumByteCount else {
                    throw CommandFailure(
                        .malformed,
                        "\(name): record \(recordNumber + 1) is longer than \(maximumByteCount) bytes"
                            + (scanner.isQuoted ? "; is a quote missing?" : "")
                    )
                }
            }
            guard try fill() else { return record.isEmpty ? nil : finish(record) }
        }
    }

    private mutating func finish(_ record: [UInt8]) -> TableRecord {
        recordNumber += 1
        byteCount += record.count
        return TableRecord(record, format: format)
    }

    private mutating func fill() throws -> Bool {
        guard !isAtEnd else { return false }
        var bytes = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else {
                throw CommandFailure(.inputOutput, "\(name): \(SystemError.message(of: errno))")
            }
            isAtEnd = count == 0
            buffer = Array(bytes.prefix(count))
            position = 0
            return count > 0
        }
    }
}
