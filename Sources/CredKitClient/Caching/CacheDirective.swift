// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// One directive of `Cache-Control`: a name with an optional argument.
struct CacheDirective: Sendable, Equatable {
    /// The name in lower case.
    let name: String
    let argument: Argument

    /// What follows the equals sign.
    enum Argument: Sendable, Equatable {
        case missing
        /// A token, or the content of a quoted string.
        case text(String)
        /// Neither a token nor a quoted string, or blanks around the equals sign.
        case malformed
    }

    /// Whether name and argument follow the grammar.
    var isWellFormed: Bool { FieldList.isToken(name) && argument != .malformed }

    /// Parses an element of the list.
    init(_ element: Substring) {
        let bytes = element.utf8
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else {
            name = ASCIIText.lowercased(element)
            argument = .missing
            return
        }
        let value = bytes[bytes.index(after: equals)...]
        let trimmedName = FieldList.trimmed(bytes[..<equals])
        name = ASCIIText.lowercased(trimmedName)
        argument = trimmedName.endIndex == equals ? Self.argument(value) : .malformed
    }

    private static func argument(_ value: Substring.UTF8View) -> Argument {
        guard value.first == UInt8(ascii: "\"") else {
            return FieldList.isToken(Substring(value)) ? .text(String(Substring(value))) : .malformed
        }
        var content: [UInt8] = []
        var isEscaped = false
        var rest = value.dropFirst()
        while let byte = rest.popFirst() {
            switch byte {
            case _ where isEscaped:
                content.append(byte)
                isEscaped = false
            case UInt8(ascii: "\\"): isEscaped = true
            case UInt8(ascii: "\""):
                return rest.isEmpty ? .text(String(decoding: content, as: UTF8.self)) : .malformed
            default: content.append(byte)
            }
        }
        return .malformed
    }
}
