// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Percent-encoding (RFC 3986 §2.1) and its variants: the only encoder and decoder of CredKit.
///
/// Decoded text may contain any bytes, also NUL and invalid UTF-8, and is never longer than the encoded text. Nothing
/// here is constant-time. The methods with an `OutputSpan` make no copies, so they can write to guarded memory.
package struct PercentCoding: Sendable {
    /// The role of `+`: a plus sign; a space for the decoder, though the encoder writes `%20`; or a space for both.
    package enum Plus: Sendable { case literal, readAsSpace, space }

    /// The offset at which an escape lacks a digit; the length of the text if it ends too early.
    package struct DecodingError: Error { package let offset: Int }

    /// A segment of a path, or a name or value of a query: only unreserved characters are not escaped (RFC 3986 §2.3).
    package static let component = PercentCoding(leaving: "-._~")
    /// A name or value of `application/x-www-form-urlencoded` (WHATWG URL standard §5).
    package static let form = PercentCoding(leaving: "*-._ ", plus: .space)
    /// The same for a query, with spaces as `%20` (RFC 9421 §2.2.8).
    package static let query = PercentCoding(leaving: "*-._", plus: .readAsSpace)

    /// A bit for each ASCII character that is not escaped.
    private let unescaped: UInt128
    private let plus: Plus
    private let isLowercase: Bool
    private let keepsEscapes: Bool

    /// - Parameters:
    ///   - marks: The ASCII characters, without `%`, that are not escaped, like letters and digits; `nil` to escape all.
    ///   - plus: The role of `+`.
    ///   - isLowercase: Whether escapes have only lower-case letters. Otherwise upper case is written, and both are read.
    ///   - keepsEscapes: Whether the encoder leaves a `%` that begins an escape, to encode the rest of a URL.
    package init(
        leaving marks: String?,
        plus: Plus = .literal,
        isLowercase: Bool = false,
        keepsEscapes: Bool = false
    ) {
        let alphanumerics = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
        let characters = marks.map { alphanumerics + $0 } ?? ""
        unescaped = characters.utf8.reduce(UInt128(0)) { $0 | UInt128(1) << $1 }
        self.plus = plus
        self.isLowercase = isLowercase
        self.keepsEscapes = keepsEscapes
    }

    /// Encodes bytes.
    @inlinable
    package func encode(_ bytes: some Collection<UInt8>) -> String {
        bytes.withContiguousSpan { bytes in
            unsafe String(unsafeUninitializedCapacity: encodedByteCount(of: bytes)) { buffer in
                var output = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
                encode(bytes, into: &output)
                return unsafe output.finalize(for: buffer)
            }
        }
    }

    /// Encodes bytes, and appends the text.
    package func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        output.append(addingCapacity: encodedByteCount(of: bytes)) { encode(bytes, into: &$0) }
    }

    /// Encodes bytes, and appends the text.
    @inlinable
    package func append(_ bytes: some Collection<UInt8>, to output: inout [UInt8]) {
        bytes.withContiguousSpan { append($0, to: &output) }
    }

    /// Encodes bytes into memory of the caller with room for ``encodedByteCount(of:)`` bytes.
    package func encode(_ bytes: Span<UInt8>, into output: inout OutputSpan<UInt8>) {
        let (zero, ten) = (UInt8(ascii: "0"), UInt8(ascii: isLowercase ? "a" : "A") - 10)
        for index in bytes.indices {
            let byte = bytes[index]
            if isUnescaped(bytes, at: index) {
                output.append(byte == UInt8(ascii: " ") && plus == .space ? UInt8(ascii: "+") : byte)
            } else {
                output.append(UInt8(ascii: "%"))
                output.append((byte >> 4) + (byte >> 4 < 10 ? zero : ten))
                output.append((byte & 15) + (byte & 15 < 10 ? zero : ten))
            }
        }
    }

    /// Returns the length of the encoded text.
    package func encodedByteCount(of bytes: Span<UInt8>) -> Int {
        bytes.indices.reduce(0) { $0 + (isUnescaped(bytes, at: $1) ? 1 : 3) }
    }

    /// Decodes text in which each `%` begins an escape.
    package func decode(_ text: Span<UInt8>) throws(DecodingError) -> [UInt8] {
        try [UInt8](capacity: text.count) { (output) throws(DecodingError) in
            try decode(text, into: &output)
        }
    }

    /// Decodes text in which each `%` begins an escape, into memory of the caller with room for as many bytes.
    package func decode(_ text: Span<UInt8>, into output: inout OutputSpan<UInt8>) throws(DecodingError) {
        for start in text.indices where text[start] == UInt8(ascii: "%") {
            for index in (start + 1)...(start + 2) where digit(of: text, at: index) == nil {
                throw DecodingError(offset: index)
            }
        }
        decodeLeniently(text, into: &output)
    }

    /// Decodes text. A `%` that does not begin an escape is kept.
    @inlinable
    package func decodeLeniently(_ text: some Collection<UInt8>) -> [UInt8] {
        text.withContiguousSpan { text in [UInt8](capacity: text.count) { decodeLeniently(text, into: &$0) } }
    }

    /// Decodes text into memory of the caller with room for as many bytes. A `%` that does not begin an escape is kept.
    package func decodeLeniently(_ text: Span<UInt8>, into output: inout OutputSpan<UInt8>) {
        var index = 0
        while index < text.count {
            var byte = text[index]
            if byte == UInt8(ascii: "%"), let high = digit(of: text, at: index + 1),
                let low = digit(of: text, at: index + 2)
            {
                byte = high << 4 | low
                index += 2
            } else if byte == UInt8(ascii: "+"), plus != .literal {
                byte = UInt8(ascii: " ")
            }
            output.append(byte)
            index += 1
        }
    }

    private func isUnescaped(_ bytes: Span<UInt8>, at index: Int) -> Bool {
        let byte = bytes[index]
        if keepsEscapes, byte == UInt8(ascii: "%"), digit(of: bytes, at: index + 1) != nil {
            return digit(of: bytes, at: index + 2) != nil
        }
        return byte < 0x80 && (unescaped &>> UInt128(byte)) & 1 == 1
    }

    /// Returns the value of a digit; `nil` if there is none.
    private func digit(of text: Span<UInt8>, at index: Int) -> UInt8? {
        guard index < text.count else { return nil }
        switch text[index] {
        case 0x30...0x39: return text[index] - 0x30
        case 0x41...0x46 where !isLowercase: return text[index] - 0x37
        case 0x61...0x66: return text[index] - 0x57
        default: return nil
        }
    }
}
