// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Hexadecimal text ([RFC 4648](https://www.rfc-editor.org/rfc/rfc4648) §8), two digits per byte.
///
/// ```swift
/// Hex.encode([0xCA, 0xFE])       // "cafe"
/// try Hex.decode("CAFE")         // [0xCA, 0xFE]
/// ```
///
/// As with ``Base64``, neither direction branches on the bytes or uses them as an index into memory, so keys can be
/// converted without leaking them through timing.
public enum Hex {
    /// Encodes bytes as lowercase digits.
    ///
    /// - Parameter bytes: The bytes to encode.
    /// - Returns: The text, two characters per byte.
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
    /// - Returns: The text, two characters per byte.
    @inlinable
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        bytes.withContiguousSpan { encode($0) }
    }

    /// Encodes bytes as lowercase digits into memory of the caller, without allocating memory.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to encode.
    ///   - output: Receives two ASCII characters per byte. Too little free capacity is a programming error and stops
    ///     the process.
    public static func encode(_ bytes: Span<UInt8>, into output: inout OutputSpan<UInt8>) {
        precondition(output.freeCapacity / 2 >= bytes.count, "The output has too little capacity.")
        unsafe bytes.withUnsafeBufferPointer { source in
            unsafe output.withUnsafeMutableBufferPointer { target, count in
                unsafe HexKernel.encode(source, to: target.baseAddress.map { unsafe $0 + count })
                count += 2 * source.count
            }
        }
    }

    /// Decodes digits in either case.
    ///
    /// - Parameter text: The digits, without spaces or prefix.
    /// - Returns: The bytes.
    /// - Throws: ``DecodingError``, with the offset of the error.
    public static func decode(_ text: some StringProtocol) throws(DecodingError) -> [UInt8] {
        try decode(text.utf8)
    }

    /// Decodes digits in either case, in the form of ASCII bytes.
    ///
    /// - Parameter text: The digits, without spaces or prefix.
    /// - Returns: The bytes.
    /// - Throws: ``DecodingError``, with the offset of the error.
    @inlinable
    public static func decode(_ text: some Collection<UInt8>) throws(DecodingError) -> [UInt8] {
        try text.withContiguousSpan { (span) throws(DecodingError) in try decode(span) }
    }

    /// Decodes digits in either case, in the form of ASCII bytes.
    ///
    /// - Parameter text: The digits, without spaces or prefix.
    /// - Returns: The bytes.
    /// - Throws: ``DecodingError``, with the offset of the error.
    public static func decode(_ text: Span<UInt8>) throws(DecodingError) -> [UInt8] {
        try [UInt8](capacity: text.count / 2) { (output) throws(DecodingError) in
            let valid = unsafe text.withUnsafeBufferPointer { source in
                unsafe output.withUnsafeMutableBufferPointer { target, count in
                    let valid = unsafe HexKernel.decode(source, to: target.baseAddress)
                    count = valid / 2
                    return valid
                }
            }
            guard valid == text.count else { throw .invalidCharacter(at: valid) }
            guard text.count.isMultiple(of: 2) else { throw .oddLength(at: text.count) }
        }
    }
}

extension Hex {
    /// Why and where a text is not valid hexadecimal. Two errors are equal if their codes are equal, so an error can
    /// be caught by its name.
    public struct DecodingError: Error, Sendable, Equatable, CustomStringConvertible {
        private enum Code { case invalidCharacter, oddLength }

        private let code: Code

        /// The offset of the error in bytes from the start of the text; if a digit is missing, the length of the
        /// text.
        public let offset: Int

        /// A character that is not a hexadecimal digit.
        public static let invalidCharacter = invalidCharacter(at: 0)
        /// The last byte has only one digit.
        public static let oddLength = oddLength(at: 0)

        static func invalidCharacter(at offset: Int) -> Self {
            .init(code: .invalidCharacter, offset: offset)
        }
        static func oddLength(at offset: Int) -> Self { .init(code: .oddLength, offset: offset) }

        /// Returns whether both errors are of the same kind; their offsets may differ.
        public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

        /// A description for people.
        public var description: String {
            switch code {
            case .invalidCharacter: "not a hexadecimal digit at offset \(offset)"
            case .oddLength: "the number of digits is odd: one is missing at offset \(offset)"
            }
        }
    }
}
