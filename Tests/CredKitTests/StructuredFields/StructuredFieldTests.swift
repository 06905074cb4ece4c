// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

final class StructuredFieldTests: XCTestCase {
    private typealias Item = StructuredField.Item
    private typealias List = StructuredField.List
    private typealias Dictionary = StructuredField.Dictionary

    func testReadsAndWritesAsDocumented() throws {
        let digests = try Dictionary(parsing: "sha-256=:aGVsbG8=:, unixsum=42;legacy")
        XCTAssertEqual(digests["sha-256"]?.bareItem?.byteSequenceValue, Array("hello".utf8))
        XCTAssertEqual(digests["unixsum"]?.parameters["legacy"], .boolean(true))
        XCTAssertNil(digests["sha-512"])
        var covered: StructuredField.InnerList = ["@method", "content-digest"]
        covered.parameters["created"] = 1_618_884_473
        XCTAssertEqual(try covered.serialized(), #"("@method" "content-digest");created=1618884473"#)
        XCTAssertEqual(try List(fieldLines: ["gzip, br;q=0.5", "(1 2)"]).members.count, 3)
        let priority = try Dictionary(parsing: "u=2, i")
        XCTAssertEqual(priority["u"]?.bareItem?.integerValue, 2)
        XCTAssertTrue(priority["i"] == true)
    }

    func testGivesTheComponentsOfTheExamplesOfRFC9421() throws {
        // Section 2.1.2: members of a dictionary, serialized alone.
        let example = try Dictionary(parsing: "  a=1,    b=2;x=1;y=2,   c=(a   b   c), d")
        XCTAssertEqual(example.keys, ["a", "b", "c", "d"])
        XCTAssertEqual(try example.map { try $0.value.serialized() }, ["1", "2;x=1;y=2", "(a b c)", "?1"])
        // Section 2.1.1: a dictionary as a whole.
        XCTAssertEqual(try example.serialized(), "a=1, b=2;x=1;y=2, c=(a b c), d")
        // Appendix B.2.5: parameters of a signature keep their order.
        let parameters =
            #"("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret""#
        let field = try Dictionary(parsing: "sig-b25=\(parameters)")
        XCTAssertEqual(try field["sig-b25"]?.serialized(), parameters)
        XCTAssertEqual(
            field["sig-b25"]?.items?.compactMap(\.value.stringValue),
            ["date", "@authority", "content-type"]
        )
        XCTAssertEqual(field["sig-b25"]?.parameters.keys, ["created", "keyid"])
    }

    func testHasAccessorsForEachType() throws {
        let list = try List(parsing: #"1, 1.5, "s", t, :YQ:, ?0, @-1, %"%c3%bc""#)
        let values = list.members.compactMap(\.bareItem)
        XCTAssertEqual(values.map(\.integerValue), [1, nil, nil, nil, nil, nil, nil, nil])
        XCTAssertEqual(
            values.map { $0.decimalValue?.thousandths },
            [nil, 1500, nil, nil, nil, nil, nil, nil]
        )
        XCTAssertEqual(values.map(\.stringValue), [nil, nil, "s", nil, nil, nil, nil, nil])
        XCTAssertEqual(values.map(\.tokenValue), [nil, nil, nil, "t", nil, nil, nil, nil])
        XCTAssertEqual(values.map(\.byteSequenceValue), [nil, nil, nil, nil, [0x61], nil, nil, nil])
        XCTAssertEqual(values.map(\.booleanValue), [nil, nil, nil, nil, nil, false, nil, nil])
        XCTAssertEqual(values.map(\.dateValue), [nil, nil, nil, nil, nil, nil, UnixTime(-1), nil])
        XCTAssertEqual(values.map(\.displayStringValue), [nil, nil, nil, nil, nil, nil, nil, "ü"])
    }

    func testBuildsValuesFromLiterals() throws {
        var dictionary: Dictionary = ["a": 1, "b": "x", "c": true, "d": ["y", 2, false], "a": 3]
        XCTAssertEqual(try dictionary.serialized(), #"a=3, b="x", c, d=("y" 2 ?0)"#)
        dictionary["b"]?.parameters["p"] = .token("q")
        dictionary["d"]?.parameters = ["r": true]
        XCTAssertEqual(try dictionary.serialized(), #"a=3, b="x";p=q, c, d=("y" 2 ?0);r"#)
        let list: List = [1, "x", ["y"], true]
        XCTAssertEqual(try list.serialized(), #"1, "x", ("y"), ?1"#)
        XCTAssertEqual(try Item(.displayString("50 % \"ü\"")).serialized(), #"%"50 %25 %22%c3%bc%22""#)
        XCTAssertEqual(try Item("\"\\", parameters: ["a": 1]).serialized(), #""\"\\";a=1"#)
    }

    func testJoinsLines() throws {
        XCTAssertEqual(try List(fieldLines: ["1", "2, 3"]), [1, 2, 3])
        XCTAssertEqual(try List(fieldLines: [String]()), [])
        XCTAssertEqual(try Dictionary(fieldLines: [""]), [:])
        XCTAssertEqual(try Item(fieldLines: ["1"]), 1)
        XCTAssertEqual(try Dictionary(fieldLines: ["a=1", "b, a=2"]).serialized(), "a=2, b")
        XCTAssertThrowsError(try Item(fieldLines: [String]()))
        XCTAssertThrowsError(try Item(fieldLines: ["1", "2"]))
        XCTAssertThrowsError(try List(fieldLines: ["1", ""]))
        // A string that was split by a sender or intermediary is joined with a comma, too.
        XCTAssertEqual(try List(fieldLines: ["\"a", "b\""]), ["a, b"])
    }

    func testComparesTextByBytes() throws {
        let (composed, decomposed) = ("\u{FC}", "u\u{308}")
        XCTAssertEqual(composed, decomposed)
        XCTAssertNotEqual(Item(.displayString(composed)), Item(.displayString(decomposed)))
        let dictionary: Dictionary = ["\u{FC}": 1]
        XCTAssertNil(dictionary[decomposed])
        XCTAssertNotEqual(dictionary, ["u\u{308}": 1])
        XCTAssertNotEqual(Item(.string("a")), Item(.token("a")))
        XCTAssertNotEqual(Item(.integer(1)), Item(.decimal(.init(thousandths: 1000))))
    }

    func testErrorsHaveTheirOffsetAndNoPartOfTheText() {
        let cases: [(String, StructuredField.ParsingError, Int)] = [
            ("(", .unexpectedEnd, 1), ("1;a=", .unexpectedEnd, 4),
            ("a;", .unexpectedEnd, 2),
            ("1, ", .trailingComma, 3), ("1,\t", .trailingComma, 3), ("1 2", .invalidCharacter, 2),
            ("1,,2", .invalidCharacter, 2), ("\"ä\"", .invalidCharacter, 1),
            ("\"\\a\"", .invalidCharacter, 2),
            ("1234567890123456", .tooManyDigits, 15), ("1234567890123.1", .tooManyDigits, 13),
            ("1.2345", .tooManyDigits, 5), ("1.", .unexpectedEnd, 2), ("-a", .invalidCharacter, 1),
            ("@1.5", .invalidCharacter, 1), (":YQ", .unexpectedEnd, 3), (":YQ=:", .invalidBase64, 1),
            (":Y:", .invalidBase64, 1), (":YQ===:", .invalidBase64, 1), (":YWJj====:", .invalidBase64, 1),
            (":YW J:", .invalidBase64, 3), (":=:", .invalidBase64, 1), ("%\"%FF\"", .invalidCharacter, 3),
            ("%\"%ff\"", .invalidUTF8, 1), ("%\"%c0%80\"", .invalidUTF8, 1), ("?2", .invalidCharacter, 1),
        ]
        for (text, expected, offset) in cases {
            XCTAssertThrowsError(try List(parsing: text), text) {
                XCTAssertEqual($0 as? StructuredField.ParsingError, expected, text)
                XCTAssertEqual(($0 as? StructuredField.ParsingError)?.offset, offset, text)
            }
        }
        XCTAssertThrowsError(try Item(parsing: "secret, ")) {
            XCTAssertEqual("\($0)", "malformed structured field: unexpected character at offset 6")
        }
        XCTAssertThrowsError(try Item(parsing: "  ")) {
            XCTAssertEqual($0 as? StructuredField.ParsingError, .unexpectedEnd)
            XCTAssertEqual(($0 as? StructuredField.ParsingError)?.offset, 2)
        }
    }

    func testRefusesToSerializeWhatAFieldCannotRepresent() {
        let cases: [(StructuredField.BareItem, StructuredField.SerializationError)] = [
            (.integer(1_000_000_000_000_000), .numberOutOfRange), (.integer(.min), .numberOutOfRange),
            (.date(UnixTime(.max)), .numberOutOfRange), (.string("ü"), .invalidString),
            (.string("\u{7F}"), .invalidString), (.token(""), .invalidToken), (.token("1"), .invalidToken),
            (.decimal(.init(thousandths: .min)), .numberOutOfRange), (.token("a\"b"), .invalidToken),
        ]
        for (value, expected) in cases {
            XCTAssertThrowsError(try Item(value).serialized(), "\(value)") {
                XCTAssertEqual($0 as? StructuredField.SerializationError, expected, "\(value)")
            }
        }
        for key in ["", "A", "1", "a b", "ä", "a=", "a\n"] {
            let dictionary: Dictionary = [key: 1]
            XCTAssertThrowsError(try dictionary.serialized(), key) {
                XCTAssertEqual($0 as? StructuredField.SerializationError, .invalidKey, key)
            }
            XCTAssertThrowsError(try Item(1, parameters: [key: 1]).serialized(), key)
        }
    }
}
