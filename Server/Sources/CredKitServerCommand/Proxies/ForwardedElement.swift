// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What one proxy states in the header `Forwarded` (RFC 7239).
struct ForwardedElement: Sendable, Equatable {
    /// Whom the proxy had the request from.
    var node = ForwardedNode.hidden
    /// The scheme of the client's request, in lowercase.
    var scheme: String?

    /// The maximum size of a value: some 64 elements.
    private static let maximumByteCount = 4096

    /// Parses the value of a header.
    ///
    /// - Parameter value: The value, a list whose last element is the nearest proxy's.
    /// - Returns: The elements; `nil` if any part of the value is malformed: a quote that does not end could hide an element.
    static func list(_ value: String) -> [ForwardedElement]? {
        guard value.utf8.count <= maximumByteCount else { return nil }
        var reader = Reader(rest: Array(value.utf8)[...])
        var elements: [ForwardedElement] = []
        var element = ForwardedElement()
        var names: Set<String> = []
        while true {
            reader.skipBlanks()
            if let name = reader.token() {
                guard reader.take("="), let value = reader.token() ?? reader.quoted(),
                    names.insert(name.lowercased()).inserted, element.set(name.lowercased(), value)
                else { return nil }
            }
            reader.skipBlanks()
            if reader.take(";") { continue }
            // Empty elements of a list are ignored.
            if !names.isEmpty { elements.append(element) }
            (element, names) = (ForwardedElement(), [])
            if reader.take(",") { continue }
            return reader.rest.isEmpty ? elements : nil
        }
    }

    private mutating func set(_ name: String, _ value: String) -> Bool {
        switch name {
        case "for":
            guard let node = ForwardedNode(value, allowsBareIPv6: false) else { return false }
            self.node = node
        case "proto": scheme = value.lowercased()
        default: break
        }
        return true
    }
}

/// Reads tokens and quoted strings (RFC 9110, section 5.6).
private struct Reader {
    var rest: ArraySlice<UInt8>

    mutating func skipBlanks() { rest = rest.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") } }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    mutating func token() -> String? {
        let token = rest.prefix { byte in
            switch byte {
            case 48...57, 65...90, 97...122: true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
        rest = rest.dropFirst(token.count)
        return token.isEmpty ? nil : String(decoding: token, as: UTF8.self)
    }

    mutating func quoted() -> String? {
        guard take("\"") else { return nil }
        var text: [UInt8] = []
        while var byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst() else { return nil }
                byte = escaped
            }
            guard byte == 9 || byte >= 32 && byte != 127 else { return nil }
            text.append(byte)
        }
        return nil
    }
}
