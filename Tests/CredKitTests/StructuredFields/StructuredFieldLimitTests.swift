// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import XCTest

final class StructuredFieldLimitTests: XCTestCase {
    private typealias Item = StructuredField.Item
    private typealias List = StructuredField.List
    private typealias Dictionary = StructuredField.Dictionary

    private func keys(_ count: Int) -> [String] { (0..<count).map { "k\($0)" } }

    func testLimitsTheMembersOfEachContainer() throws {
        let limit = StructuredField.maximumMemberCount
        XCTAssertGreaterThanOrEqual(limit, 1_024)
        let numbers = Array(repeating: "1", count: limit)
        XCTAssertEqual(try List(fieldLines: numbers).members.count, limit)
        assertOverLimit { try List(fieldLines: numbers + ["1"]) }
        XCTAssertEqual(try Dictionary(fieldLines: keys(limit)).keys, keys(limit))
        assertOverLimit { try Dictionary(fieldLines: self.keys(limit + 1)) }
        let inner = numbers.joined(separator: " ")
        XCTAssertEqual(try List(parsing: "(\(inner))").members[0].items?.count, limit)
        assertOverLimit { try List(parsing: "(\(inner) 1)") }
        let parameters = keys(limit).joined(separator: ";")
        XCTAssertEqual(try Item(parsing: "1;\(parameters)").parameters.count, limit)
        assertOverLimit { try Item(parsing: "1;\(parameters);a") }
    }

    func testARepeatedKeyCountsOnceAndKeepsItsPosition() throws {
        let lines = keys(1_024) + Array(repeating: "k7=2", count: 30_000)
        let dictionary = try Dictionary(fieldLines: lines)
        XCTAssertEqual(dictionary.keys, keys(1_024))
        XCTAssertEqual(dictionary["k7"], 2)
        let item = try Item(parsing: "1;" + lines.joined(separator: ";"))
        XCTAssertEqual(item.parameters.keys, keys(1_024))
        XCTAssertEqual(item.parameters["k7"], 2)
    }

    func testLimitsTheLength() throws {
        let limit = StructuredField.maximumByteCount
        let text = "\"" + String(repeating: "a", count: limit - 2) + "\""
        XCTAssertEqual(try Item(parsing: text).value.stringValue?.utf8.count, limit - 2)
        assertOverLimit { try Item(parsing: text + " ") }
        assertOverLimit { try Item(parsing: Array(text.utf8) + [0x20]) }
        assertOverLimit { try List(fieldLines: [text, "1"]) }
        assertOverLimit { try List(fieldLines: Array(repeating: "", count: limit)) }
        assertOverLimit { try List(fieldLines: ["\(text)\(text)"]) }
        // An endless value is not read to its end.
        assertOverLimit { try List(parsing: repeatElement(UInt8(ascii: " "), count: .max)) }
    }

    func testParsesWhatTheRFCRequiresAtLeast() throws {
        let bytes = [UInt8](repeating: 0xFF, count: 16_384)
        XCTAssertEqual(try Item(parsing: Item(.byteSequence(bytes)).serialized()).value, .byteSequence(bytes))
        // The longest keys that the RFC requires, with the most members.
        let keys = (0..<1_024).map { "k\(10_000 + $0)" + String(repeating: "x", count: 58) }
        XCTAssertEqual(
            try Dictionary(fieldLines: keys.map { $0 + "=:" + String(repeating: "A", count: 100) + ":" })
                .count,
            1_024
        )
    }

    func testKeepsOrderWithAndWithoutAnIndex() {
        var values: Dictionary = [:]
        var reference: [(String, Int64)] = []
        var generator = SeededGenerator(seed: 17)
        for step in Int64(0)..<4_000 {
            // The number of keys goes up and down through the size at which the index begins.
            let key = generator.text(of: "abcdefgh", count: 1...2)
            let isRemoved = Int.random(in: 0..<40, using: &generator) < values.count
            values[key] = isRemoved ? nil : .item(.init(.integer(step)))
            if let position = reference.firstIndex(where: { $0.0 == key }) {
                if isRemoved { reference.remove(at: position) } else { reference[position].1 = step }
            } else if !isRemoved {
                reference.append((key, step))
            }
            XCTAssertEqual(values.keys, reference.map(\.0))
            XCTAssertEqual(values.map(\.value.bareItem?.integerValue), reference.map(\.1))
            for (key, value) in reference { XCTAssertEqual(values[key]?.bareItem?.integerValue, value) }
        }
        XCTAssertEqual(values, values)
    }

    private func assertOverLimit<Value>(_ body: () throws -> Value, line: UInt = #line) {
        XCTAssertThrowsError(try body(), line: line) {
            XCTAssertEqual($0 as? StructuredField.ParsingError, .limitExceeded, line: line)
        }
    }
}
