// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// An entity tag, RFC 9110 section 8.8.3.
struct EntityTag: Sendable, Equatable {
    /// The value as sent.
    let text: String
    let isWeak: Bool

    /// Reads the field `ETag`; `nil` if it has no single value that can be part of a list.
    ///
    /// Some servers send a tag without quotes. It is sent back as it came. An asterisk would match everything.
    init?(_ lines: [String]) {
        guard lines.count == 1, let text = lines.first else { return nil }
        let opaque = text.utf8.starts(with: "W/".utf8) ? text.utf8.dropFirst(2) : text.utf8[...]
        let isQuoted =
            opaque.count >= 2 && opaque.first == UInt8(ascii: "\"") && opaque.last == UInt8(ascii: "\"")
        let content = isQuoted ? opaque.dropFirst().dropLast() : opaque
        guard
            isQuoted
                ? content.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\"") })
                : FieldList.isToken(text) && text != "*"
        else { return nil }
        self.text = text
        isWeak = isQuoted && opaque.startIndex != text.utf8.startIndex
    }

    /// Whether both are strong and equal.
    func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && ASCIIText.areEqual(text, other.text)
    }

    /// Whether both are equal apart from weakness.
    func matchesWeakly(_ other: EntityTag) -> Bool { opaque.elementsEqual(other.opaque) }

    private var opaque: Substring.UTF8View { Substring(text).utf8.dropFirst(isWeak ? 2 : 0) }
}
