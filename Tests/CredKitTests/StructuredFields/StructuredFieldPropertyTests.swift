// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import XCTest

final class StructuredFieldPropertyTests: XCTestCase {
    private typealias Item = StructuredField.Item
    private typealias List = StructuredField.List
    private typealias Dictionary = StructuredField.Dictionary

    func testWhatIsSerializedIsParsedToTheSameValue() throws {
        var random = RandomFields(seed: 9651)
        for _ in 0..<400 {
            try check(random.item())
            try check(List(random.array(upTo: 5) { $0.member() }))
            try check(random.values(upTo: 25) { $0.member() })
        }
    }

    private func check(_ value: some StructuredField.FieldValue) throws {
        let text = try value.serialized()
        XCTAssertTrue(text.utf8.allSatisfy { 0x20...0x7E ~= $0 }, text)
        let parsed = try type(of: value).init(parsing: text)
        XCTAssertEqual(parsed, value, text)
        XCTAssertEqual(parsed.hashValue, value.hashValue, text)
        XCTAssertEqual(try type(of: value).init(parsing: "  \(text) "), value, text)
    }

    func testEachPrefixIsParsedOrRejected() throws {
        let text = #"a=1;b=-1.5;c, d=("x\"y" to/ken;e=:YWI=:;f=?0 @12);g, h=%"%c3%bc", i"#
        XCTAssertEqual(try Dictionary(parsing: text).serialized(), text)
        var accepted = 0
        for count in 0...text.utf8.count {
            let prefix = Array(text.utf8.prefix(count))
            accepted += try checkIfAccepted(prefix)
            // With any other byte behind it.
            for byte in UInt8.min...UInt8.max { _ = try checkIfAccepted(prefix + [byte]) }
        }
        XCTAssertGreaterThan(accepted, 15)
    }

    func testRandomTextsAreParsedOrRejected() throws {
        var generator = SeededGenerator(seed: 8941)
        var accepted = 0
        for _ in 0..<30_000 {
            let text = generator.text(of: "aB01-.*;=, ()\":?@%\\/c3\t", count: 0...10)
            accepted += try checkIfAccepted(Array(text.utf8))
            _ = try checkIfAccepted(generator.bytes(count: 0...20))
        }
        XCTAssertGreaterThan(accepted, 1_000)
    }

    /// What is accepted has a canonical form that gives the same value. Returns in how many of the three types.
    private func checkIfAccepted(_ bytes: [UInt8]) throws -> Int {
        try count(Item.self, bytes) + count(List.self, bytes) + count(Dictionary.self, bytes)
    }

    private func count<Value: StructuredField.FieldValue>(_: Value.Type, _ bytes: [UInt8]) throws -> Int {
        do throws(StructuredField.ParsingError) {
            let value = try Value(parsing: bytes)
            XCTAssertEqual(try Value(parsing: value.serialized()), value, "\(bytes)")
            return 1
        } catch {
            XCTAssertTrue(0...bytes.count ~= error.offset, "\(bytes)")
            return 0
        }
    }
}

/// Random values that a field can represent.
private struct RandomFields {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func array<Element>(upTo count: Int, _ element: (inout Self) -> Element) -> [Element] {
        (0..<Int.random(in: 0...count, using: &generator)).map { _ in element(&self) }
    }

    mutating func values<Value>(
        upTo count: Int,
        _ value: (inout Self) -> Value
    ) -> StructuredField.OrderedValues<Value> {
        var values = StructuredField.OrderedValues<Value>()
        for _ in 0..<Int.random(in: 0...count, using: &generator) {
            values[word(first: "abz*", then: "abz09_-.*")] = value(&self)
        }
        return values
    }

    mutating func member() -> StructuredField.Member {
        guard Bool.random(using: &generator) else { return .item(item()) }
        return .innerList(.init(array(upTo: 3) { $0.item() }, parameters: parameters()))
    }

    mutating func item() -> StructuredField.Item { .init(bareItem(), parameters: parameters()) }

    private mutating func parameters() -> StructuredField.Parameters { values(upTo: 3) { $0.bareItem() } }

    private mutating func bareItem() -> StructuredField.BareItem {
        let digits = Int.random(in: 0...14, using: &generator)
        let number = (0...digits).reduce(Int64(0)) { number, _ in
            number * 10 + Int64.random(in: 0...9, using: &generator)
        }
        let signed = Bool.random(using: &generator) ? number : -number
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return .integer(signed)
        case 1: return .decimal(.init(thousandths: signed))
        case 2:
            let bytes = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
                UInt8.random(in: 0x20...0x7E, using: &generator)
            }
            return .string(String(decoding: bytes, as: UTF8.self))
        case 3: return .token(word(first: "aZ*", then: "aZ09!#$%&'*+-.^_`|~:/"))
        case 4: return .byteSequence(generator.bytes(count: 0...9))
        case 5: return .boolean(Bool.random(using: &generator))
        case 6: return .date(UnixTime(signed))
        default:
            return .displayString(generator.text(of: "aZ %\"\\\u{0}\u{1F}\u{7F}ü€😀\u{FEFF}", count: 0...9))
        }
    }

    private mutating func word(first: String, then rest: String) -> String {
        generator.text(of: first, count: 1...1) + generator.text(of: rest, count: 0...8)
    }
}
