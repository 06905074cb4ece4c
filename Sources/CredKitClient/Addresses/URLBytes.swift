// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The bytes that need no encoding in a URL, RFC 3986.
enum URLBytes {
    /// The encoding of a path or query: the unreserved characters, `!$&'()*+,;=`, `:`, `@`, `/`, `?` and escapes stay.
    static let coding = PercentCoding(leaving: "-._~!$&'()*+,;=:@/?", keepsEscapes: true)

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    static func isHexDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
        default: false
        }
    }

    /// Whether a text is a path with an optional query in which nothing needs encoding.
    static func isTarget(_ text: String) -> Bool {
        text.utf8.first == UInt8(ascii: "/")
            && text.utf8.withContiguousSpan { coding.encodedByteCount(of: $0) == $0.count }
    }

    /// Whether a text is a host with an optional port, without user information or encoded bytes.
    static func isAuthority(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: ":") else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x3A, 0x41...0x5B, 0x5D, 0x5F, 0x61...0x7A, 0x2D, 0x2E: true
            default: false
            }
        }
    }
}
