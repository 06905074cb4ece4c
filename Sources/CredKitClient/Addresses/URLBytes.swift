// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The bytes that need no encoding in a URL, RFC 3986.
enum URLBytes {
    /// Whether a byte needs no encoding in a path or query: the unreserved ones, `!$&'()*+,;=`, `:`, `@`, `/`
    /// and `?`.
    static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x24, 0x26...0x3B, 0x3D, 0x3F...0x5A, 0x5F, 0x61...0x7A, 0x7E: true
        default: false
        }
    }

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
        guard text.utf8.first == UInt8(ascii: "/") else { return false }
        var digitsToCome = 0
        for byte in text.utf8 {
            if digitsToCome > 0 {
                guard isHexDigit(byte) else { return false }
                digitsToCome -= 1
            } else if byte == UInt8(ascii: "%") {
                digitsToCome = 2
            } else if !isAllowed(byte) {
                return false
            }
        }
        return digitsToCome == 0
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
