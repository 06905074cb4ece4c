// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Percent-encodes everything except the unreserved characters, as UTF-8, RFC 3986.
enum PercentEncoding {
    /// Appends text that must have no special meaning in a URL: a path segment, or a name or value in a
    /// query.
    static func append(_ bytes: some Sequence<UInt8>, to text: inout String) {
        for byte in bytes {
            if isUnreserved(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                appendEscaped(byte, to: &text)
            }
        }
    }

    /// Percent-encodes everything except the unreserved characters.
    static func encode(_ text: String) -> String {
        var encoded = ""
        encoded.reserveCapacity(text.utf8.count)
        append(text.utf8, to: &encoded)
        return encoded
    }

    /// Returns `name=value&name=value`, with blanks as `%20`.
    static func query(_ items: [(key: String, value: String)]) -> String {
        var text = ""
        for (index, item) in items.enumerated() {
            if index > 0 { text += "&" }
            append(item.key.utf8, to: &text)
            text += "="
            append(item.value.utf8, to: &text)
        }
        return text
    }

    static func appendEscaped(_ byte: UInt8, to text: inout String) {
        text.unicodeScalars.append("%")
        text.unicodeScalars.append(Unicode.Scalar(digit(byte >> 4)))
        text.unicodeScalars.append(Unicode.Scalar(digit(byte & 15)))
    }

    static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

    /// Letters, digits, `-`, `.`, `_` and `~`, RFC 3986 section 2.3.
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }
}
