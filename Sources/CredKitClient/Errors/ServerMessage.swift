// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import CredKit
internal import HTTPTypes

/// What a response with an error status tells people.
package enum ServerMessage {
    /// The maximum size of a body that is read for a message. Larger ones are pages.
    package static let maximumByteCount = 64 << 10

    /// The fields of JSON objects that servers put a message into, besides those of RFC 9457.
    private static let fields = [
        "message", "msg", "error_description", "error.message", "error", "reason", "h.msg",
    ]

    /// Returns the message of a response; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - body: The whole body.
    /// - Returns: Text in any length, with control characters.
    static func text(of head: HTTPResponse, _ body: [UInt8]) -> String? {
        let isText = body.count <= maximumByteCount && String(validating: body, as: UTF8.self) != nil
        guard isText else { return nil }
        if let json = try? JSONSlices(body) { return text(of: json) }
        // Many servers send plain text without a type.
        let type = head.mediaType
        guard type == "text/plain" || type == nil && !body.contains(UInt8(ascii: "<")) else { return nil }
        return readable(body)
    }

    /// Whether a text repeats a secret that the server has got: four of its bytes in a row, or all of a shorter one, in upper or
    /// lower case, as they are or encoded as in a URL, in hexadecimal digits or in Base64.
    ///
    /// - Parameters:
    ///   - secret: The secret.
    ///   - text: The text, cut to what may be shown.
    /// - Returns: Whether it must not be shown.
    package static func repeats(_ secret: some SecretInput, in text: String) -> Bool {
        secret.withSecretBytes { secret -> Bool in
            let count = min(4, secret.count)
            guard count > 0 else { return false }
            let told = parts(of: text, byteCount: count)
            var part: UInt32 = 0
            for index in secret.indices {
                part = appending(secret[index], to: part, byteCount: count)
                if index >= count - 1, told.contains(part) { return true }
            }
            return false
        }
    }

    /// Whether a text repeats one of several values, such as those of cookies. Values of less than 8 bytes, such as languages,
    /// are no secrets.
    static func repeatsValue(of values: [String], in text: String) -> Bool {
        values.contains { $0.utf8.count >= 8 && repeats($0, in: text) }
    }

    /// Returns all sequences of so many bytes in a text, and in what it decodes to.
    private static func parts(of text: String, byteCount: Int) -> Set<UInt32> {
        let text = Array(text.utf8)
        var found: Set<UInt32> = []
        for text in [text, unescaped(text)] {
            let fromHex = decodings(of: text, bitCount: 4, hexDigit)
            let fromBase64 = decodings(of: text, bitCount: 6, base64Digit)
            for bytes in [text] + fromHex + fromBase64 {
                var part: UInt32 = 0
                for (index, byte) in bytes.enumerated() {
                    part = appending(byte, to: part, byteCount: byteCount)
                    if index >= byteCount - 1 { found.insert(part) }
                }
            }
        }
        return found
    }

    private static func appending(_ byte: UInt8, to part: UInt32, byteCount: Int) -> UInt32 {
        (part << 8 | UInt32(lowercased(byte))) & (UInt32.max >> UInt32(32 - 8 * byteCount))
    }

    /// Returns what each run of digits decodes to, beginning at each of the digits that can begin a byte.
    private static func decodings(
        of text: [UInt8],
        bitCount: UInt32,
        _ digit: (UInt8) -> UInt8?
    ) -> [[UInt8]] {
        var all: [[UInt8]] = []
        for run in text.split(whereSeparator: { digit($0) == nil }) {
            for start in 0..<(bitCount == 4 ? 2 : 4) {
                var (bits, count): (UInt32, UInt32) = (0, 0)
                var bytes: [UInt8] = []
                for value in run.dropFirst(start).compactMap(digit) {
                    bits = bits << bitCount | UInt32(value)
                    count += bitCount
                    guard count >= 8 else { continue }
                    count -= 8
                    bytes.append(UInt8(truncatingIfNeeded: bits >> count))
                }
                all.append(bytes)
            }
        }
        return all
    }

    /// Returns a text with the bytes that its percent-encoding means.
    private static func unescaped(_ text: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        var index = 0
        while index < text.count {
            if text[index] == UInt8(ascii: "%"), index + 2 < text.count, let high = hexDigit(text[index + 1]),
                let low = hexDigit(text[index + 2])
            {
                bytes.append(high << 4 | low)
                index += 3
            } else {
                bytes.append(text[index] == UInt8(ascii: "+") ? UInt8(ascii: " ") : text[index])
                index += 1
            }
        }
        return bytes
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: return byte - 0x30
        case 0x41...0x46, 0x61...0x66: return (byte | 0x20) - 0x57
        default: return nil
        }
    }

    /// The value of a digit of Base64, also of that for URLs.
    private static func base64Digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x41...0x5A: return byte - 0x41
        case 0x61...0x7A: return byte - 0x47
        case 0x30...0x39: return byte + 4
        case UInt8(ascii: "+"), UInt8(ascii: "-"): return 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): return 63
        default: return nil
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }

    private static func text(of json: JSONSlices) -> String? {
        guard json.isObject else { return readable(json.text(in: json.document)) }
        let title = text(at: "title", in: json)
        if let detail = text(at: "detail", in: json) { return title.map { "\($0): \(detail)" } ?? detail }
        if let title { return title }
        for field in fields {
            if let found = text(at: field, in: json) { return found }
        }
        return nil
    }

    private static func text(at field: String, in json: JSONSlices) -> String? {
        guard let value = try? json.value(at: field) else { return nil }
        return readable(json.text(in: value))
    }

    /// Returns text without white space around it; `nil` if nothing remains.
    private static func readable(_ bytes: [UInt8]?) -> String? {
        guard let bytes else { return nil }
        let scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return nil }
        return String(scalars[first...last])
    }

    /// Returns what a message about a response ends with: what the server says, and how long to wait.
    ///
    /// - Parameters:
    ///   - text: The server's message; `nil` for none.
    ///   - retryAfter: How long to wait; `nil` if the server has not said it.
    /// - Returns: Text that is safe for a terminal, empty if there is nothing to say.
    static func ending(_ text: String?, retryAfter: Duration?) -> String {
        let told = text.map { TerminalSafeText.text($0, upTo: 200) } ?? ""
        let seconds = retryAfter?.components.seconds
        let wait = seconds.map { " (retry in \($0) \($0 == 1 ? "second" : "seconds"))" } ?? ""
        return (told.isEmpty ? "" : ": \(told)") + wait
    }
}
