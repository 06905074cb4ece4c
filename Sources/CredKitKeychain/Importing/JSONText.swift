// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Encoding and decoding of JSON strings ([RFC 8259, section 7](https://www.rfc-editor.org/rfc/rfc8259#section-7)).
enum JSONText {
    /// Up to six bytes, on the stack, since they may belong to a secret.
    struct Escaped {
        private let bytes: (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8)
        let count: Int

        init(_ byte: UInt8) {
            bytes = (byte, 0, 0, 0, 0, 0)
            count = 1
        }

        init(_ backslash: UInt8, _ letter: UInt8) {
            bytes = (backslash, letter, 0, 0, 0, 0)
            count = 2
        }

        init(control byte: UInt8) {
            let last = byte & 15
            bytes = (
                UInt8(ascii: "\\"), UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0"),
                UInt8(ascii: "0") + byte >> 4,
                last < 10 ? UInt8(ascii: "0") + last : UInt8(ascii: "a") + last - 10
            )
            count = 6
        }

        subscript(position: Int) -> UInt8 {
            switch position {
            case 0: bytes.0
            case 1: bytes.1
            case 2: bytes.2
            case 3: bytes.3
            case 4: bytes.4
            default: bytes.5
            }
        }
    }

    /// Returns the JSON form of a UTF-8 byte.
    static func escaped(_ byte: UInt8) -> Escaped {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): Escaped(UInt8(ascii: "\\"), byte)
        case UInt8(ascii: "\n"): Escaped(UInt8(ascii: "\\"), UInt8(ascii: "n"))
        case UInt8(ascii: "\r"): Escaped(UInt8(ascii: "\\"), UInt8(ascii: "r"))
        case UInt8(ascii: "\t"): Escaped(UInt8(ascii: "\\"), UInt8(ascii: "t"))
        case ..<0x20: Escaped(control: byte)
        default: Escaped(byte)
        }
    }

    /// Returns a text in quotes.
    static func quoted(_ text: String) -> [UInt8] {
        var bytes = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            let escaped = escaped(byte)
            for position in 0..<escaped.count { bytes.append(escaped[position]) }
        }
        return bytes + [UInt8(ascii: "\"")]
    }

    /// Decodes an escape, and returns its size in bytes.
    ///
    /// - Parameters:
    ///   - position: The position of the backslash.
    ///   - end: The end of the text.
    ///   - bytes: The bytes that contain the text.
    /// - Returns: The character, or `nil` for an invalid escape or half of a surrogate pair.
    static func unescape(
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
