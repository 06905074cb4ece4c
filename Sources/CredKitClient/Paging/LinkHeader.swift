// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The links of a response's `Link` headers, parsed as appendix B of
/// [RFC 8288](https://www.rfc-editor.org/rfc/rfc8288) describes.
///
/// Bytes are compared and split, because a comma or a semicolon may be part of a target or a quoted text.
struct LinkHeader: Sendable {
    /// One link.
    struct Link: Sendable {
        /// The text between `<` and `>`: a URL, or one relative to that of the response.
        let target: String
        /// Names in lower case, and values without quotes, in order.
        let parameters: [(name: String, value: String)]

        /// The relation types in lower case. Only the first `rel` counts, section 3.3.
        var relations: [String] {
            let text = parameters.first { ASCIIText.areEqual($0.name, "rel") }?.value ?? ""
            return text.utf8.split(whereSeparator: LinkHeader.isBlank).map {
                ASCIIText.lowercased(String(decoding: $0, as: UTF8.self))
            }
        }

        /// Whether the link is about another resource than the response.
        var hasAnchor: Bool { parameters.contains { ASCIIText.areEqual($0.name, "anchor") } }
    }

    /// The maximum size of all fields together in bytes.
    static let maximumByteCount = 64 << 10
    /// The maximum number of links.
    static let maximumLinkCount = 1000

    private(set) var links: [Link] = []

    /// Whether all fields were parsed to their ends. The algorithm ignores the rest of a malformed field.
    private(set) var isComplete = true

    /// Parses the values of all `Link` headers of a response.
    init(_ fields: [String]) {
        guard fields.reduce(0, { $0 + $1.utf8.count }) <= Self.maximumByteCount else {
            isComplete = false
            return
        }
        for field in fields where !parse(field) { isComplete = false }
    }

    /// Returns the targets of the links of a relation from the response to other resources.
    func targets(of relation: String) -> [String] {
        links.filter { link in
            !link.hasAnchor && link.relations.contains { ASCIIText.areEqual($0, relation) }
        }.map(\.target)
    }

    /// Appends the links of one field, appendix B.2, and returns whether it was parsed to its end.
    private mutating func parse(_ field: String) -> Bool {
        var text = LinkText(field)
        while true {
            // Empty elements of a list are ignored, RFC 9110 section 5.6.1.
            text.skipBlanks()
            while text.take(",") { text.skipBlanks() }
            guard !text.isAtEnd else { return true }
            guard links.count < Self.maximumLinkCount, text.take("<") else { return false }
            let target = text.take { $0 != UInt8(ascii: ">") }
            guard text.take(">") else { return false }
            links.append(Link(target: target, parameters: text.parameters()))
            text.skipBlanks()
            guard text.isAtEnd || text.take(",") else { return false }
        }
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

/// The part of a `Link` header that has not been parsed yet.
private struct LinkText {
    private var rest: Substring.UTF8View

    init(_ text: String) { rest = Substring(text).utf8 }

    var isAtEnd: Bool { rest.isEmpty }

    /// Consumes a character if it is next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    /// Consumes bytes as long as they belong to the text, and returns them.
    mutating func take(while belongs: (UInt8) -> Bool) -> String {
        let taken = rest.prefix(while: belongs)
        rest = rest[taken.endIndex...]
        return String(decoding: taken, as: UTF8.self)
    }

    mutating func skipBlanks() { rest = rest.drop(while: LinkHeader.isBlank) }

    /// Parses the parameters of a link, appendix B.3.
    mutating func parameters() -> [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        while true {
            skipBlanks()
            guard take(";") else { return parameters }
            skipBlanks()
            let name = take { byte in
                !LinkHeader.isBlank(byte) && byte != UInt8(ascii: "=") && byte != UInt8(ascii: ";")
                    && byte != UInt8(ascii: ",")
            }
            skipBlanks()
            var value = ""
            if take("=") {
                skipBlanks()
                value = quotedText() ?? take { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
            }
            parameters.append((ASCIIText.lowercased(name), value))
            skipBlanks()
            if isAtEnd || rest.first == UInt8(ascii: ",") { return parameters }
        }
    }

    /// Parses a quoted text, appendix B.4; `nil` if there is none.
    private mutating func quotedText() -> String? {
        guard take("\"") else { return nil }
        var output: [UInt8] = []
        while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
            if byte != UInt8(ascii: "\\") {
                output.append(byte)
            } else if let escaped = rest.popFirst() {
                output.append(escaped)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
