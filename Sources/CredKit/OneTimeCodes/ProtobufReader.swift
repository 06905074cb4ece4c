// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Reads the fields of a message in the
/// [encoding of Protocol Buffers](https://protobuf.dev/programming-guides/encoding/), strictly and never beyond its end.
///
/// Each call takes the bytes: a value with a span cannot be stored in Swift 6.3.
struct ProtobufReader {
    /// A field of a message.
    struct Field {
        /// The number, from 1.
        let number: UInt64
        let value: Value
    }

    /// The value of a field.
    enum Value {
        /// A number or an enumeration.
        case number(UInt64)
        /// The place of bytes, a text or a message.
        case bytes(Range<Int>)
        /// A number of 4 or 8 bytes, which no field of an export has.
        case fixed
    }

    /// The bytes that are not read yet.
    private var rest: Range<Int>

    init(_ message: Range<Int>) { rest = message }

    /// Returns the next field; `nil` at the end of the message.
    mutating func next(of bytes: Span<UInt8>) throws(OneTimeCodeError) -> Field? {
        guard !rest.isEmpty else { return nil }
        let tag = try number(of: bytes)
        let field = tag >> 3
        guard 1...0x1FFF_FFFF ~= field else { throw .malformedExport("a field has the number \(field)") }
        switch tag & 7 {
        case 0: return Field(number: field, value: .number(try number(of: bytes)))
        case 2: return Field(number: field, value: .bytes(try skip(try number(of: bytes))))
        case 1:
            _ = try skip(8)
            return Field(number: field, value: .fixed)
        case 5:
            _ = try skip(4)
            return Field(number: field, value: .fixed)
        default: throw .malformedExport("a field has an unknown form")
        }
    }

    private mutating func skip(_ count: UInt64) throws(OneTimeCodeError) -> Range<Int> {
        guard count <= UInt64(rest.count) else { throw .malformedExport("a part of it is missing") }
        let end = rest.lowerBound + Int(count)
        let skipped = rest.lowerBound..<end
        rest = end..<rest.upperBound
        return skipped
    }

    private mutating func number(of bytes: Span<UInt8>) throws(OneTimeCodeError) -> UInt64 {
        var number: UInt64 = 0
        var shift: UInt64 = 0
        while true {
            let byte = bytes[try skip(1).lowerBound]
            // 64 bits are 9 bytes of 7 bits, and one bit of a tenth byte.
            guard shift < 63 || byte <= 1 else { throw .malformedExport("a number has more than 64 bits") }
            number |= UInt64(byte & 0x7F) << shift
            guard byte >= 0x80 else { return number }
            shift += 7
        }
    }
}
