// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Names and values in the form `name=value&name=value`, of a query or of a form. Those that are not changed keep
/// their spelling.
struct FormText {
    private var items: [Substring]

    init(_ text: Substring) {
        // Bytes, as servers do: with an accent behind it, an ampersand would be another character.
        items = text.utf8.split(separator: UInt8(ascii: "&")).map { Substring($0) }
    }

    /// The encoded text.
    var text: String { items.joined(separator: "&") }

    /// The names and values, decoded; `nil` if one is not UTF-8.
    var decoded: [(key: String, value: String)]? {
        var pairs: [(key: String, value: String)] = []
        for item in items {
            let (name, value) = (Self.name(of: item), Self.value(of: item))
            guard let name = String(validating: name, as: UTF8.self),
                let value = String(validating: value, as: UTF8.self)
            else { return nil }
            pairs.append((key: name, value: value))
        }
        return pairs
    }

    /// The first value with a name, decoded; `nil` if there is none.
    func value(_ name: String) -> [UInt8]? {
        items.first { Self.isItem($0, named: name) }.map { Self.value(of: $0) }
    }

    /// Removes all parameters with certain names.
    mutating func remove(_ names: [String]) {
        items.removeAll { item in names.contains { Self.isItem(item, named: $0) } }
    }

    /// Adds a parameter at the end, or where one with its name stands, and removes the others with its name.
    mutating func set(_ name: String, to value: [UInt8]) {
        let position = items.firstIndex { Self.isItem($0, named: name) } ?? items.endIndex
        remove([name])
        items.insert(Self.item(name, value), at: min(position, items.endIndex))
    }

    /// Adds parameters at the end.
    mutating func append(_ parameters: [(key: String, value: String)]) {
        items += parameters.map { Self.item($0.key, Array($0.value.utf8)) }
    }

    /// Returns `name=value&name=value`.
    static func encode(
        _ fields: [(key: String, value: String)],
        as coding: PercentCoding = .form
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "&")) }
            coding.append(field.key.utf8, to: &bytes)
            bytes.append(UInt8(ascii: "="))
            coding.append(field.value.utf8, to: &bytes)
        }
        return bytes
    }

    private static func item(_ name: String, _ value: [UInt8]) -> Substring {
        (PercentCoding.component.encode(name.utf8) + "=" + PercentCoding.component.encode(value))[...]
    }

    private static func isItem(_ item: Substring, named name: String) -> Bool {
        Self.name(of: item).elementsEqual(name.utf8)
    }

    private static func name(of item: Substring) -> [UInt8] {
        PercentCoding.form.decodeLeniently(item.utf8.prefix { $0 != UInt8(ascii: "=") })
    }

    private static func value(of item: Substring) -> [UInt8] {
        PercentCoding.form.decodeLeniently(item.utf8.drop { $0 != UInt8(ascii: "=") }.dropFirst())
    }
}
