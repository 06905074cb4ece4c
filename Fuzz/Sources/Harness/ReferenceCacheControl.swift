// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A second parser of Cache-Control, written from the grammar in RFC 9111, section 5.2, and RFC 9110, sections 5.6.1 to
/// 5.6.4.
enum ReferenceCacheControl {
    /// The values of a directive with seconds that is present: `nil` for one that is no number.
    typealias Arguments = [[UInt8]?]

    /// Returns the arguments by lowercase name; `nil` if the field breaks the grammar.
    static func parse(_ line: [UInt8]) -> [[UInt8]: Arguments]? {
        var directives: [[UInt8]: Arguments] = [:]
        var rest = line[...]
        while true {
            rest = rest.drop { isBlank($0) || $0 == UInt8(ascii: ",") }
            guard !rest.isEmpty else { return directives }
            guard let name = token(&rest) else { return nil }
            var argument: [UInt8]?
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst()
                argument = rest.first == UInt8(ascii: "\"") ? quoted(&rest) : token(&rest)
                guard argument != nil else { return nil }
            }
            directives[lowercased(name), default: []].append(argument)
            rest = rest.drop(while: isBlank)
            guard rest.isEmpty || rest.first == UInt8(ascii: ",") else { return nil }
        }
    }

    /// Returns the lowercase tokens outside of quoted strings that are not arguments, whether or not the field follows
    /// the grammar.
    static func names(_ line: [UInt8]) -> Set<[UInt8]> {
        var names: Set<[UInt8]> = []
        var rest = line[...]
        var isArgument = false
        while let byte = rest.first {
            var end = rest
            if byte == UInt8(ascii: "\""), quoted(&end) != nil {
                rest = end
                isArgument = false
            } else if let token = token(&rest) {
                if !isArgument { names.insert(lowercased(token)) }
                isArgument = false
            } else {
                isArgument = byte == UInt8(ascii: "=")
                rest = rest.dropFirst()
            }
        }
        return names
    }

    static func lowercased(_ bytes: [UInt8]) -> [UInt8] { bytes.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 } }

    private static let delimiters = Set("\"(),/:;<=>?@[\\]{}".utf8)

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func token(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        let token = rest.prefix { byte in
            byte > 0x20 && byte < 0x7F && !delimiters.contains(byte)
        }
        rest = rest.dropFirst(token.count)
        return token.isEmpty ? nil : Array(token)
    }

    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        var content: [UInt8] = []
        var bytes = rest.dropFirst()
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "\"") {
                rest = bytes
                return content
            }
            guard byte == UInt8(ascii: "\\") else {
                content.append(byte)
                continue
            }
            guard let escaped = bytes.popFirst() else { return nil }
            content.append(escaped)
        }
        return nil
    }
}
