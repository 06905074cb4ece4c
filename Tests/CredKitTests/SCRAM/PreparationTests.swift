// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import XCTest

final class PreparationTests: PreparationTestCase {
    private func assert(
        _ text: String,
        becomes expected: String?,
        by preparation: SCRAM.Preparation = .rfc4013,
        _ why: String = "",
        line: UInt = #line
    ) throws {
        XCTAssertEqual(try prepared(text, by: preparation), expected.map { Array($0.utf8) }, why, line: line)
    }

    func testTheExamplesOfRFC4013() throws {
        try assert("I\u{AD}X", becomes: "IX", "U+00AD is removed")
        try assert("user", becomes: "user")
        try assert("USER", becomes: "USER", "case is kept")
        try assert("\u{AA}", becomes: "a", "form KC")
        try assert("\u{2168}", becomes: "IX", "form KC")
        try assert("\u{7}", becomes: nil, "a prohibited character")
        try assert("\u{627}\u{31}", becomes: nil, "the bidirectional check")
    }

    func testTheUsersOfMongoDBAndPostgreSQL() throws {
        for preparation in [SCRAM.Preparation.rfc4013, .postgreSQL] {
            try assert("\u{2168}", becomes: "IX", by: preparation)
            try assert("\u{2163}", becomes: "IV", by: preparation)
            try assert("I\u{AD}X", becomes: "IX", by: preparation)
            try assert("\u{2168}\u{AD}x", becomes: "IXx", by: preparation)
        }
    }

    func testPrintableASCIIStaysAsItIs() throws {
        let text = String(decoding: UInt8(0x20)...0x7E, as: UTF8.self)
        for preparation in [SCRAM.Preparation.rfc4013, .postgreSQL] {
            XCTAssertNil(try preparation.apply(to: text.utf8.span))
            try assert("  a  ", becomes: "  a  ", by: preparation)
        }
    }

    func testRefusedTextsHaveAReasonThatDoesNotContainThem() throws {
        let cases: [(text: [UInt8], reason: String)] = [
            ([], "empty"), (Array("\u{AD}\u{200D}".utf8), "empty"),
            ([0x61, 0xFF], "not UTF-8"), ([0xC0, 0x80], "not UTF-8"), ([0xED, 0xA0, 0x80], "not UTF-8"),
            (Array("secret😀".utf8), "Unicode 3.2 does not have"),
            // An unassigned character that today's normalization replaces by an assigned one.
            (Array("secret\u{FA70}".utf8), "Unicode 3.2 does not have"),
            (Array("secret\u{E000}".utf8), "prohibited"), (Array("secret\0".utf8), "prohibited"),
            (Array("secret\u{202E}".utf8), "prohibited"), (Array("secret\u{2FF0}".utf8), "prohibited"),
            (Array("secret\u{5D0}".utf8), "right-to-left"), (Array("\u{5D0}1".utf8), "right-to-left"),
        ]
        for (text, reason) in cases {
            XCTAssertThrowsError(try SCRAM.Preparation.rfc4013.apply(to: text.span), "\(text)") { error in
                XCTAssertEqual(error as? SCRAM.Error, .textNotAllowed)
                let message = String(describing: error)
                XCTAssertTrue(message.contains(reason), message)
                XCTAssertFalse(message.contains("secret"), message)
            }
        }
    }

    func testPostgreSQLTakesTheBytesWhereSASLprepFails() throws {
        for text in [
            "secret😀", "\u{AD}😀", "\u{AD}", "a\u{AD}\u{7}", "\u{7}", "\u{2168}\u{E000}", "\u{2168}\u{5D0}",
            "\u{340}",
        ] {
            try assert(text, becomes: text, by: .postgreSQL)
        }
        XCTAssertNil(try SCRAM.Preparation.postgreSQL.apply(to: ([0xE2, 0x85, 0xA8, 0xFF] as [UInt8]).span))
        // The input is allowed, and the result is not.
        try assert("\u{5D0}\u{AD}\u{FB2A}", becomes: "\u{5D0}\u{5E9}\u{5C1}", by: .postgreSQL)
        try assert("\u{5D0}\u{FB2A}", becomes: nil)
        try assert("a\u{340}", becomes: "\u{E0}", "the input is prohibited, and the result is allowed")
        // The decompositions of Unicode 3.2, and of later versions.
        try assert("\u{2F868}", becomes: "\u{2136A}")
        try assert("\u{2F868}", becomes: "\u{36FC}", by: .postgreSQL)
        for text in [[], [0], Array("a\0b".utf8)] as [[UInt8]] {
            XCTAssertThrowsError(try SCRAM.Preparation.postgreSQL.apply(to: text.span)) {
                XCTAssertEqual($0 as? SCRAM.Error, .textNotAllowed)
            }
        }
    }

    /// Compares each code point alone with Python's Unicode data; in the short form every 16th, and the ends of each range.
    func testEveryCodePointAgreesWithPython() throws {
        var count = 0
        let offset = UInt32.random(in: 0..<16)
        for fields in try python("single") {
            let numbers = fields.dropFirst().prefix(fields[0] == ">" ? 1 : 2).compactMap {
                UInt32($0, radix: 16)
            }
            guard fields.count == 3, let first = numbers.first, let last = numbers.last else {
                return XCTFail("unexpected line of the script: \(fields)")
            }
            for scalar in (first...last).compactMap(Unicode.Scalar.init) {
                count += 1
                guard
                    TestForm.isDeep || [first, last].contains(scalar.value) || scalar.value % 16 == offset
                else { continue }
                let text = Array(String(scalar).utf8)
                let expected = fields[0] == "=" ? text : fields[0] == "!" ? nil : try Hex.decode(fields[2])
                let result = try prepared(text, by: .rfc4013)
                if result != expected { XCTFail("U+\(String(scalar.value, radix: 16)): \(result ?? [])") }
            }
        }
        XCTAssertEqual(count, 0x110000 - 0x800)
    }

    func testRandomTextsAgreeWithPython() throws {
        var (results, refusals) = (0, 0)
        let texts = TestForm.isDeep ? 20_000 : 5000
        for fields in try python("random", "\(texts)", "2026") {
            let text = try Hex.decode(fields[0])
            let expected = fields[1] == "!" ? nil : try Hex.decode(fields[1])
            XCTAssertEqual(try prepared(text, by: .rfc4013), expected, "\(fields)")
            if let expected {
                XCTAssertEqual(try prepared(expected, by: .rfc4013), expected, "not idempotent: \(fields)")
                results += 1
            } else {
                refusals += 1
            }
        }
        XCTAssertGreaterThan(results, texts / 4)
        XCTAssertGreaterThan(refusals, texts / 4)
    }
}
