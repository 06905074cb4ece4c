// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension HTTPURL {
    /// Returns this URL with parameters of the query added, or replaced where they stand.
    func setting(_ parameters: [(name: String, value: [UInt8])]) -> HTTPURL {
        var items = queryItems.map { String($0) }
        for (name, value) in parameters {
            var item = PercentEncoding.encode(name) + "="
            PercentEncoding.append(value, to: &item)
            let position = items.firstIndex { Self.isItem($0[...], named: name) } ?? items.endIndex
            items.removeAll { Self.isItem($0[...], named: name) }
            items.insert(item, at: min(position, items.endIndex))
        }
        return HTTPURL(origin: origin, path: path, query: items.isEmpty ? nil : items.joined(separator: "&"))
    }

    /// Returns the first value of a parameter of the query, not encoded; `nil` if there is none.
    package func parameter(_ name: String) -> [UInt8]? {
        guard let item = queryItems.first(where: { Self.isItem($0, named: name) }) else { return nil }
        return Self.decode(item.utf8.drop { $0 != UInt8(ascii: "=") }.dropFirst())
    }

    private var queryItems: [Substring] { query?.split(separator: "&") ?? [] }

    private static func isItem(_ item: Substring, named name: String) -> Bool {
        decode(item.utf8.prefix { $0 != UInt8(ascii: "=") }).elementsEqual(name.utf8)
    }

    /// Decodes a name or a value as servers do: `+` is a blank.
    private static func decode(_ text: Substring.UTF8View) -> [UInt8] {
        var (bytes, rest) = ([UInt8](), text)
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let value = UInt8(Substring(rest.prefix(2)), radix: 16),
                rest.prefix(2).allSatisfy(URLBytes.isHexDigit)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            }
        }
        return bytes
    }
}
