// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Finds the value of an `input` in a login page, without a parser of HTML: tags outside of comments, with their
/// attributes.
enum HTMLInput {
    /// Returns the value of the first input with a name; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - name: The name of the input.
    ///   - page: The page, UTF-8.
    /// - Returns: The value, with the common character references decoded.
    static func value(ofInput name: String, in page: [UInt8]) -> String? {
        var rest = page[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[start...]
            if rest.starts(with: "<!--".utf8) {
                rest = afterComment(rest)
                continue
            }
            rest = rest.dropFirst()
            guard ASCIIText.areEqual(ASCIIText.lowercased(text(rest.prefix(5))), "input"),
                let next = rest.dropFirst(5).first, isSpace(next) || next == UInt8(ascii: "/")
            else { continue }
            rest = rest.dropFirst(5)
            let attributes = Self.attributes(&rest)
            guard let found = attributes["name"], ASCIIText.areEqual(found, name) else { continue }
            return attributes["value"] ?? ""
        }
        return nil
    }

    private static func afterComment(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = text.dropFirst(4)
        while let dash = rest.firstIndex(of: UInt8(ascii: "-")) {
            rest = rest[dash...]
            if rest.starts(with: "-->".utf8) { return rest.dropFirst(3) }
            rest = rest.dropFirst()
        }
        return []
    }

    /// Reads attributes up to the end of the tag. The first one of a name counts.
    private static func attributes(_ rest: inout ArraySlice<UInt8>) -> [String: String] {
        var attributes: [String: String] = [:]
        while true {
            rest = rest.drop { isSpace($0) || $0 == UInt8(ascii: "/") }
            guard let first = rest.first, first != UInt8(ascii: ">") else { return attributes }
            // An equals sign in front belongs to the name, so that there is one.
            let end =
                rest.dropFirst().firstIndex {
                    isSpace($0) || $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ">")
                        || $0 == UInt8(ascii: "/")
                } ?? rest.endIndex
            let name = ASCIIText.lowercased(text(rest[..<end]))
            rest = rest[end...].drop(while: isSpace)
            var value = ""
            if rest.first == UInt8(ascii: "=") {
                rest = rest.dropFirst().drop(while: isSpace)
                value = self.value(&rest)
            }
            if attributes[name] == nil { attributes[name] = value }
        }
    }

    private static func value(_ rest: inout ArraySlice<UInt8>) -> String {
        let raw: ArraySlice<UInt8>
        if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            rest = rest.dropFirst()
            let end = rest.firstIndex(of: quote) ?? rest.endIndex
            raw = rest[..<end]
            rest = rest[end...].dropFirst()
        } else {
            let end = rest.firstIndex { isSpace($0) || $0 == UInt8(ascii: ">") } ?? rest.endIndex
            raw = rest[..<end]
            rest = rest[end...]
        }
        return decoded(raw)
    }

    /// Decodes the character references that templates write into attributes.
    private static func decoded(_ raw: ArraySlice<UInt8>) -> String {
        let references: [(String, UInt8)] = [
            ("&amp;", UInt8(ascii: "&")), ("&quot;", UInt8(ascii: "\"")), ("&#34;", UInt8(ascii: "\"")),
            ("&#39;", UInt8(ascii: "'")), ("&#x27;", UInt8(ascii: "'")), ("&#x2F;", UInt8(ascii: "/")),
            ("&#43;", UInt8(ascii: "+")), ("&#x2B;", UInt8(ascii: "+")), ("&#61;", UInt8(ascii: "=")),
            ("&#x3D;", UInt8(ascii: "=")), ("&lt;", UInt8(ascii: "<")), ("&gt;", UInt8(ascii: ">")),
        ]
        var bytes: [UInt8] = []
        var rest = raw
        while let byte = rest.first {
            if byte == UInt8(ascii: "&"),
                let (name, meant) = references.first(where: { rest.starts(with: $0.0.utf8) })
            {
                bytes.append(meant)
                rest = rest.dropFirst(name.utf8.count)
            } else {
                bytes.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
