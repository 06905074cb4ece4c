// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
package import HTTPTypes

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
    /// lower case.
    static func repeats(_ secret: SecretBytes, in text: String) -> Bool {
        let text = Array(ASCIIText.lowercased(text).utf8)
        return secret.withSecretBytes { secret -> Bool in
            let count = min(4, secret.count)
            guard count > 0, text.count >= count else { return false }
            for start in 0...secret.count - count {
                for place in 0...text.count - count {
                    var equal = 0
                    while equal < count, text[place + equal] == lowercased(secret[start + equal]) {
                        equal += 1
                    }
                    if equal == count { return true }
                }
            }
            return false
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

    /// Returns the same for a response.
    ///
    /// - Parameters:
    ///   - head: The head.
    ///   - body: The body; `nil` if it is unknown, or shown anyway.
    /// - Returns: Text that is safe for a terminal, empty if there is nothing to say.
    package static func ending(of head: HTTPResponse, _ body: [UInt8]?) -> String {
        ending(body.flatMap { text(of: head, $0) }, retryAfter: head.retryAfter)
    }
}
