// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// Encoding and decoding of JSON strings ([RFC 8259, section 7](https://www.rfc-editor.org/rfc/rfc8259#section-7)).
///
/// Everything that is not printable is escaped, not only what JSON requires: a document is also read by people, at a
/// terminal.
package enum JSONText {
    /// Calls `emit` with each byte of the JSON form of a text, without quotes. Nothing is copied, since the text may be
    /// a secret.
    static func escape(_ text: Span<UInt8>, _ emit: (UInt8) -> Void) {
        escape(text, isDocument: false, emit)
    }

    /// Returns a text in quotes.
    package static func quoted(_ text: String) -> [UInt8] {
        var bytes = [UInt8(ascii: "\"")]
        escape(Array(text.utf8).span) { bytes.append($0) }
        return bytes + [UInt8(ascii: "\"")]
    }

    /// Escapes unprintable characters in a complete document, all of which are in its strings. What JSON requires to be
    /// escaped is escaped already.
    package static func escapingUnprintable(_ document: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(document.count)
        escape(document.span, isDocument: true) { bytes.append($0) }
        return bytes
    }

    private static func escape(_ text: Span<UInt8>, isDocument: Bool, _ emit: (UInt8) -> Void) {
        var position = 0
        while position < text.count {
            let byte = text[position]
            position += 1
            switch byte {
            case _ where isDocument && byte < 0x7F: emit(byte)
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): escape(with: byte, emit)
            case UInt8(ascii: "\n"): escape(with: UInt8(ascii: "n"), emit)
            case UInt8(ascii: "\r"): escape(with: UInt8(ascii: "r"), emit)
            case UInt8(ascii: "\t"): escape(with: UInt8(ascii: "t"), emit)
            case 0x20..<0x7F: emit(byte)
            default:
                let character = UTF8Character(at: position - 1, in: text)
                let end = position - 1 + character.byteCount
                if let scalar = character.scalar, !scalar.isPrintable {
                    for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                        escape(unit, emit)
                    }
                } else {
                    for index in position - 1..<end { emit(text[index]) }
                }
                position = end
            }
        }
    }

    private static func escape(with letter: UInt8, _ emit: (UInt8) -> Void) {
        emit(UInt8(ascii: "\\"))
        emit(letter)
    }

    /// Writes `\uXXXX`.
    private static func escape(_ unit: UInt16, _ emit: (UInt8) -> Void) {
        escape(with: UInt8(ascii: "u"), emit)
        for shift in [12, 8, 4, 0] {
            let digit = UInt8(unit >> shift & 15)
            emit(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// Decodes an escape, and returns its size in bytes.
    ///
    /// - Parameters:
    ///   - position: The position of the backslash.
    ///   - end: The end of the text.
    ///   - bytes: The bytes that contain the text.
    /// - Returns: The character, or `nil` for an invalid escape or half of a surrogate pair.
    package static func unescape(
        at position: Int,
        before end: Int,
        in bytes: Span<UInt8>
    ) -> (character: Unicode.Scalar, count: Int)? {
        guard position + 1 < end else { return nil }
        switch bytes[position + 1] {
        case UInt8(ascii: "\""): return ("\"", 2)
        case UInt8(ascii: "\\"): return ("\\", 2)
        case UInt8(ascii: "/"): return ("/", 2)
        case UInt8(ascii: "b"): return ("\u{8}", 2)
        case UInt8(ascii: "f"): return ("\u{C}", 2)
        case UInt8(ascii: "n"): return ("\n", 2)
        case UInt8(ascii: "r"): return ("\r", 2)
        case UInt8(ascii: "t"): return ("\t", 2)
        default: break
        }
        guard let first = codeUnit(at: position, before: end, in: bytes) else { return nil }
        if let character = Unicode.Scalar(first) { return (character, 6) }
        guard let second = codeUnit(at: position + 6, before: end, in: bytes),
            0xD800...0xDBFF ~= first, 0xDC00...0xDFFF ~= second,
            let character = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { return nil }
        return (character, 12)
    }

    /// Returns the code unit of `\uXXXX`.
    private static func codeUnit(at position: Int, before end: Int, in bytes: Span<UInt8>) -> UInt32? {
        guard position + 6 <= end, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        else { return nil }
        var number: UInt32 = 0
        for index in position + 2..<position + 6 {
            switch bytes[index] {
            case let byte where UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte:
                number = number << 4 | UInt32(byte - UInt8(ascii: "0"))
            case let byte where UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte | 0x20:
                number = number << 4 | UInt32((byte | 0x20) - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }
}
