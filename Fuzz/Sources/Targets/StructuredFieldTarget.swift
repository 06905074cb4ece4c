// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit

extension FuzzTarget {
    /// Feeds fields to the parser as each of the three types, and the input as text and bytes to the serializer.
    static let structuredFields = FuzzTarget("structured-fields") { bytes in
        try StructuredFieldProperties.checkParser(StructuredField.Item.self, bytes)
        try StructuredFieldProperties.checkParser(StructuredField.List.self, bytes)
        try StructuredFieldProperties.checkParser(StructuredField.Dictionary.self, bytes)
        try StructuredFieldProperties.checkSerializer(bytes)
    }
}

private enum StructuredFieldProperties {
    static func checkParser<Value: StructuredField.FieldValue>(_: Value.Type, _ bytes: [UInt8]) throws {
        let value: Value
        do throws(StructuredField.ParsingError) {
            value = try Value(parsing: bytes)
        } catch {
            try require(0...bytes.count ~= error.offset, "the offset of an error is in the text: \(error)")
            return
        }
        let text = try requireSuccess("a parsed value can be serialized") { try value.serialized() }
        try checkText(text, value)
        try checkInnerLists(in: value)
    }

    /// Checks that the text that a parsed inner list keeps is that of its items and parameters.
    private static func checkInnerLists(in value: some StructuredField.FieldValue) throws {
        let members =
            switch value {
            case let list as StructuredField.List: list.members
            case let dictionary as StructuredField.Dictionary: dictionary.map(\.value)
            default: [StructuredField.Member]()
            }
        for case .innerList(let list) in members where list.canonicalText != nil {
            let same = StructuredField.InnerList(list.items, parameters: list.parameters)
            try requireEqual(
                try list.serialized(),
                try same.serialized(),
                "what is kept of the text of an inner list is canonical"
            )
        }
    }

    static func checkSerializer(_ bytes: [UInt8]) throws {
        try checkAlways(.byteSequence(bytes))
        guard let text = String(input: bytes) else { return }
        try checkAlways(.displayString(text))
        let item = StructuredField.Item
            .init(.string(text), parameters: [text: .token(text), "a": .displayString(text)])
        for value in [.init(.string(text)), .init(.token(text)), .init(1, parameters: [text: 2]), item] {
            if let text = try? value.serialized() { try checkText(text, value) }
        }
        let dictionary: StructuredField.Dictionary = [text: [item], "a": .item(item)]
        if let text = try? dictionary.serialized() { try checkText(text, dictionary) }
    }

    /// Checks a value of a type whose values can all be serialized.
    private static func checkAlways(_ value: StructuredField.BareItem) throws {
        let item = StructuredField.Item(value)
        let text = try requireSuccess("the value can be serialized") { try item.serialized() }
        try checkText(text, item)
    }

    private static func checkText<Value: StructuredField.FieldValue>(_ text: String, _ value: Value) throws {
        try require(
            text.utf8.allSatisfy { 0x20...0x7E ~= $0 },
            "a serialized value is printable ASCII: \(text)"
        )
        let parsed = try requireSuccess("a serialized value can be parsed: \(text)") {
            try Value(parsing: text)
        }
        try requireEqual(parsed, value, "a serialized value is parsed to the same value")
        let again = try requireSuccess("a parsed value can be serialized again") { try parsed.serialized() }
        try requireEqual(again, text, "the serialized form is canonical")
    }
}
