// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Hexadecimal text ([RFC 4648](https://www.rfc-editor.org/rfc/rfc4648) §8), two digits a byte.
///
/// ```swift
/// Hex.encode([0xCA, 0xFE])       // "cafe"
/// try Hex.decode("CAFE")         // [0xCA, 0xFE]
/// ```
///
/// Like ``Base64``, neither direction branches on the bytes or uses them as an index into memory, so that keys
/// can be converted without leaking them through timing.
public enum Hex {
    /// Encodes bytes as lowercase digits.
    ///
    /// - Parameter bytes: The bytes to encode.
    /// - Returns: The text, two characters a byte.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        unsafe String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            encode(bytes, into: &output)
            return unsafe output.finalize(for: buffer)
        }
    }

    /// Encodes bytes as lowercase digits.
    ///
    /// - Parameter bytes: The bytes to encode; an array, a `String.UTF8View`, a ``MessageDigest`` …
    /// - Returns: The text, two characters a byte.
    @inlinable
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        bytes.withContiguousSpan { encode($0) }
    }

    /// Encodes bytes as lowercase digits into memory of the caller's, allocating nothing.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to encode.
    ///   - output: Gets two characters of ASCII for each byte; less room is a programming error and stops the
    ///     process.
    public static func encode(_ bytes: Span<UInt8>, into output: inout OutputSpan<UInt8>) {
        for index in bytes.indices {
            output.append(digit(of: bytes[index] >> 4))
            output.append(digit(of: bytes[index] & 0xF))
        }
    }

    /// Decodes digits in either case.
    ///
    /// - Parameter text: The digits, without spaces or prefix.
    /// - Returns: The bytes.
    /// - Throws: ``DecodingError``, with the offset of what is wrong.
    public static func decode(_ text: some StringProtocol) throws(DecodingError) -> [UInt8] {
        try decode(text.utf8)
    }

    /// Decodes digits in either case that are given as bytes of ASCII.
    ///
    /// - Parameter text: The digits, without spaces or prefix.
    /// - Returns: The bytes.
    /// - Throws: ``DecodingError``, with the offset of what is wrong.
    @inlinable
    public static func decode(_ text: some Collection<UInt8>) throws(DecodingError) -> [UInt8] {
        try text.withContiguousSpan { (span) throws(DecodingError) in try decode(span) }
    }

    /// Decodes digits in either case that are given as bytes of ASCII.
    ///
    /// - Parameter text: The digits, without spaces or prefix.
    /// - Returns: The bytes.
    /// - Throws: ``DecodingError``, with the offset of what is wrong.
    public static func decode(_ text: Span<UInt8>) throws(DecodingError) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var high: UInt8 = 0
        for index in text.indices {
            guard let value = value(of: text[index]) else { throw .invalidCharacter(at: index) }
            if index.isMultiple(of: 2) {
                high = value << 4
            } else {
                bytes.append(high | value)
            }
        }
        guard text.count.isMultiple(of: 2) else { throw .oddLength(at: text.count) }
        return bytes
    }

    /// The digit of a value from 0 to 15.
    private static func digit(of value: UInt8) -> UInt8 {
        // 9 - value borrows, and so sets the high bits, from 10 on: "a" stands 39 behind the end of the digits.
        let isLetter = (9 &- value) >> 7
        return 48 + value + isLetter * 39
    }

    /// The value of a digit in either case, or no value.
    private static func value(of character: UInt8) -> UInt8? {
        let decimal = character &- 48
        let letter = (character | 0x20) &- 97
        // A difference is within its range where subtracting the range's length from it borrows.
        let isDecimal = UInt8(truncatingIfNeeded: (UInt16(decimal) &- 10) >> 15)
        let isLetter = UInt8(truncatingIfNeeded: (UInt16(letter) &- 6) >> 15)
        let value = (0 &- isDecimal) & decimal | (0 &- isLetter) & (letter &+ 10)
        return isDecimal | isLetter == 1 ? value : nil
    }
}
