// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Scans comma-separated values ([RFC 4180](https://www.rfc-editor.org/rfc/rfc4180)) row by row, so that a secret in them
/// can be copied directly into guarded memory. Lines end with LF or CRLF.
struct CSVScanner {
    /// A value: its range without quotes, in which a quote stands twice.
    struct Cell {
        let range: Range<Int>
        let isQuoted: Bool

        func forEachByte(in bytes: Span<UInt8>, _ emit: (UInt8) -> Void) {
            var position = range.lowerBound
            while position < range.upperBound {
                let byte = bytes[position]
                emit(byte)
                position += isQuoted && byte == UInt8(ascii: "\"") ? 2 : 1
            }
        }

        /// Returns whether it is a text. Nothing is copied.
        func isText(_ text: String, in bytes: Span<UInt8>) -> Bool {
            var rest = text.utf8[...]
            var isEqual = true
            forEachByte(in: bytes) { byte in isEqual = rest.popFirst() == byte && isEqual }
            return isEqual && rest.isEmpty
        }

        /// Returns the text, or the beginning of one that is longer than an item's may be.
        func text(in bytes: Span<UInt8>) -> String {
            var text: [UInt8] = []
            let end = min(range.upperBound, range.lowerBound + 2 * StoreLimits.nameByteCount + 2)
            Cell(range: range.lowerBound..<end, isQuoted: isQuoted).forEachByte(in: bytes) { text.append($0) }
            return String(decoding: text, as: UTF8.self)
        }

        func secret(in bytes: Span<UInt8>) throws(KeychainError) -> SecretBytes {
            try convertingMemory(
                SecretBytes(capacity: range.count) { output in forEachByte(in: bytes) { output.append($0) } }
            )
        }
    }

    /// The maximum number of values in a row.
    private static let cellCount = 64

    private var position = 0
    private var row = 0

    /// Returns the next row; `nil` at the end.
    mutating func next(in bytes: Span<UInt8>) throws(KeychainError) -> [Cell]? {
        guard position < bytes.count else { return nil }
        row += 1
        var cells: [Cell] = []
        while true {
            guard cells.count < Self.cellCount else { throw malformed("has too many values") }
            cells.append(try cell(in: bytes))
            guard position < bytes.count else { return cells }
            let byte = bytes[position]
            position += 1
            if byte == UInt8(ascii: ",") { continue }
            if byte == UInt8(ascii: "\r"), position < bytes.count, bytes[position] == UInt8(ascii: "\n") {
                position += 1
                return cells
            }
            guard byte != UInt8(ascii: "\r") else {
                throw malformed("has a carriage return that ends no line; such a value needs quotes")
            }
            guard byte == UInt8(ascii: "\n") else { throw malformed("has text after a closing quote") }
            return cells
        }
    }

    /// The error for the current row.
    func malformed(_ reason: String) -> KeychainError { .damaged("row \(row) of the file \(reason)") }

    private mutating func cell(in bytes: Span<UInt8>) throws(KeychainError) -> Cell {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
            let start = position
            while position < bytes.count, bytes[position] != UInt8(ascii: ","), bytes[position] != 10,
                bytes[position] != 13
            {
                guard bytes[position] != UInt8(ascii: "\"") else {
                    throw malformed("has a quote within a value that is not quoted")
                }
                position += 1
            }
            return Cell(range: start..<position, isQuoted: false)
        }
        let start = position + 1
        position = start
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "\"") else {
                position += 1
                continue
            }
            guard position + 1 < bytes.count, bytes[position + 1] == UInt8(ascii: "\"") else {
                position += 1
                return Cell(range: start..<position - 1, isQuoted: true)
            }
            position += 2
        }
        throw malformed("has no closing quote")
    }
}
