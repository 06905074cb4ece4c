// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Text in HTML.
enum HTMLText {
    /// Escapes a text for content and for attributes in quotes.
    ///
    /// It works on bytes: a quote that is followed by a combining accent is a single character of Swift, and not a quote.
    static func escape(_ text: String) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            case UInt8(ascii: "'"): bytes += "&#39;".utf8
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
