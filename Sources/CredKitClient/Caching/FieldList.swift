// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The elements of header fields that are comma-separated lists, RFC 9110 section 5.6.1.
///
/// A comma within a quoted string separates nothing. A quote without an end is an ordinary character, so that
/// it cannot hide what follows.
struct FieldList: Sendable {
    /// The elements of all lines without surrounding blanks; empty ones are left out.
    private(set) var elements: [Substring] = []
    /// Whether there is a quote without an end.
    private(set) var hasOpenQuote = false

    init(_ lines: [String]) {
        for line in lines { append(Substring(line).utf8) }
    }

    private mutating func append(_ line: Substring.UTF8View) {
        var start = line.startIndex
        var index = start
        // A second search for an end would make the time quadratic.
        var searchesQuotes = true
        while index < line.endIndex {
            let next = line.index(after: index)
            switch line[index] {
            case UInt8(ascii: ","):
                add(line[start..<index])
                start = next
                index = next
            case UInt8(ascii: "\"") where searchesQuotes:
                if let end = Self.endOfQuote(line[next...]) {
                    index = end
                } else {
                    hasOpenQuote = true
                    searchesQuotes = false
                    index = next
                }
            default: index = next
            }
        }
        add(line[start...])
    }

    private mutating func add(_ element: Substring.UTF8View) {
        let text = Self.trimmed(element)
        if !text.isEmpty { elements.append(text) }
    }

    /// Returns the index after the closing quote.
    private static func endOfQuote(_ rest: Substring.UTF8View) -> Substring.Index? {
        var isEscaped = false
        for index in rest.indices {
            switch rest[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "\""): return rest.index(after: index)
            default: break
            }
        }
        return nil
    }

    /// Removes blanks and tabs at both ends.
    static func trimmed(_ bytes: Substring.UTF8View) -> Substring {
        var bytes = bytes
        while let first = bytes.first, isBlank(first) { bytes = bytes.dropFirst() }
        while let last = bytes.last, isBlank(last) { bytes = bytes.dropLast() }
        return Substring(bytes)
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    /// Whether a text is a token, RFC 9110 section 5.6.2.
    static func isToken(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenByte)
    }

    /// Whether a byte can be part of a token.
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x30...0x39, 0x41...0x5A, 0x5E...0x7A, 0x7C, 0x7E:
            true
        default: false
        }
    }
}
