// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitVectors
import XCTest

/// The cases of the HTTP working group.
final class StructuredFieldVectorTests: XCTestCase {
    /// A case: without `raw` for the serializer alone, otherwise for parser and serializer.
    struct Case: Decodable {
        let file, name, type: String
        let raw: [String]?
        let mustFail: Bool?
        let expected: JSONNotation?
        let canonical: [String]?

        var label: String { "\(file): \(name)" }
    }

    func testParsesAndSerializesEachCase() throws {
        let cases = try VectorFile<Case>.load("rfc9651-structured-fields").cases
        XCTAssertEqual(cases.count, 1_965)
        var failures = 0
        for test in cases {
            if test.mustFail == true { failures += 1 }
            switch test.type {
            case "item": try check(test) { try $0.item }
            case "list": try check(test) { try $0.list }
            case "dictionary": try check(test) { try $0.dictionary }
            default: XCTFail(test.label)
            }
        }
        XCTAssertEqual(failures, 1_277)
    }

    private func check<Value: StructuredField.FieldValue>(
        _ test: Case,
        value: (JSONNotation) throws -> Value
    ) throws {
        let expected = try test.expected.map(value)
        if let raw = test.raw {
            if test.mustFail == true {
                XCTAssertThrowsError(try Value(fieldLines: raw), test.label) {
                    XCTAssert($0 is StructuredField.ParsingError)
                }
                return
            }
            // Also what may fail is accepted: byte sequences whose padding or last bits are not canonical.
            let parsed = try Value(fieldLines: raw)
            XCTAssertEqual(parsed, expected, test.label)
            XCTAssertEqual(try Value(parsing: raw.joined(separator: ", ")), expected, test.label)
        } else if test.mustFail == true {
            XCTAssertThrowsError(try expected?.serialized(), test.label) {
                XCTAssert($0 is StructuredField.SerializationError)
            }
            return
        }
        // A field that is omitted has no lines; its value is empty.
        let text = try XCTUnwrap(expected, test.label).serialized()
        XCTAssertEqual(text, (test.canonical ?? test.raw ?? []).joined(separator: ", "), test.label)
        XCTAssertEqual(try Value(parsing: text).serialized(), text, test.label)
    }
}
