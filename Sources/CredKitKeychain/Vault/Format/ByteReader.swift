// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Reads numbers and byte sequences in order, and never beyond the end. Numbers are little-endian.
///
/// Each call takes the bytes: a value with a span cannot be stored in Swift 6.3.
struct ByteReader {
    /// The position of the next byte. A reader may begin anywhere, even beyond the end.
    private(set) var position = 0
    /// What the bytes are, for messages.
    private let name: String

    init(at position: Int = 0, of name: String = "vault") { (self.position, self.name) = (position, name) }

    /// Skips bytes, and returns their positions.
    mutating func skip(_ count: Int, of bytes: Span<UInt8>) throws(KeychainError) -> Range<Int> {
        guard position >= 0, position <= bytes.count, count >= 0, count <= bytes.count - position else {
            throw .damaged("the \(name) is damaged: a part of it is missing")
        }
        defer { position += count }
        return position..<(position + count)
    }

    mutating func read(_ count: Int, of bytes: Span<UInt8>) throws(KeychainError) -> [UInt8] {
        try skip(count, of: bytes).map { bytes[$0] }
    }

    mutating func number<Number: FixedWidthInteger>(
        _ type: Number.Type = Number.self,
        of bytes: Span<UInt8>
    ) throws(KeychainError) -> Number {
        var value: Number = 0
        for (shift, index) in try skip(MemoryLayout<Number>.size, of: bytes).enumerated() {
            value |= Number(truncatingIfNeeded: bytes[index]) << Number(shift * 8)
        }
        return value
    }

    /// Reads a text with its length in two bytes before it.
    mutating func text(of bytes: Span<UInt8>) throws(KeychainError) -> String {
        let utf8 = try read(Int(number(UInt16.self, of: bytes)), of: bytes)
        guard let text = String(validating: utf8, as: UTF8.self) else {
            throw .damaged("the \(name) is damaged: a text in it is not UTF-8")
        }
        return text
    }
}
