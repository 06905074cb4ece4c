// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKitClient
import FoundationEssentials

extension FuzzTarget {
    /// Feeds pages of lists, and looks for the field that the first line names.
    static let pageJSON = FuzzTarget("page-json") { bytes in
        var input = FuzzInput(bytes)
        let field = String(decoding: input.line(), as: UTF8.self)
        let json: JSONSlices
        do throws(ClientError) { json = try JSONSlices(input.remaining) } catch { return }
        try PageJSONProperties.check(json)
        guard let value = try? json.value(at: field) else { return }
        try PageJSONProperties.check(try JSONSlices(Array(json.bytes[value])))
        try require(
            json.document.contains(value.lowerBound) && json.document.upperBound >= value.upperBound,
            "a value is part of the document"
        )
    }
}

private enum PageJSONProperties {
    /// Any value, without its content.
    struct AnyValue: Decodable {
        init(from decoder: any Decoder) {}
    }

    static func check(_ json: JSONSlices) throws {
        let line = json.compact(json.document)
        try require(!line.contains { $0 < 0x20 }, "an element is one line")
        let again = try requireSuccess("a line is JSON") { () throws(ClientError) in try JSONSlices(line) }
        try requireEqual(again.document, line.startIndex..<line.endIndex, "nothing stands around a line")
        try requireEqual(again.compact(again.document), line, "a line has no blanks to remove")
        // Foundation takes a document that begins with certain zeros for UTF-16; JSON has none.
        _ = try requireSuccess("Foundation reads what is accepted") {
            try JSONDecoder().decode(AnyValue.self, from: Data(line))
        }
        guard let elements = try? json.elements(of: json.document) else { return }
        let parts = elements.map { json.compact($0) }
        try requireEqual(
            [0x5B] + Array(parts.joined(separator: [0x2C])) + [0x5D],
            line,
            "the elements are the array"
        )
    }
}
