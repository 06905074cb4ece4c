// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import XCTest

@testable import CredKitClient

final class JSONSlicesTests: XCTestCase {
    private func value(_ field: String, in text: String) throws -> String? {
        let json = try JSONSlices(Array(text.utf8))
        return try json.value(at: field).map { String(decoding: json.bytes[$0], as: UTF8.self) }
    }

    func testValuesAreFoundAndKeepTheirBytes() throws {
        let text =
            #" { "a" : [ {"b":1}, 2 ] , "n":{"x":{"y":-1.50e+400},"":7}, "\u00e9\n":"t\"", "z":null, "a.b":0} "#
        XCTAssertEqual(try value("a", in: text), #"[ {"b":1}, 2 ]"#)
        XCTAssertEqual(try value("n.x.y", in: text), "-1.50e+400")
        XCTAssertEqual(try value("n.", in: text), "7")
        XCTAssertEqual(try value("\u{E9}\n", in: text), #""t\"""#)
        // The same text for Unicode, but other bytes.
        XCTAssertNil(try value("e\u{301}\n", in: text))
        XCTAssertEqual(try value("z", in: text), "null")
        for missing in ["b", "a.b", "n.x.y.z", "", "n.x.", "z.z"] {
            XCTAssertNil(try value(missing, in: text), missing)
        }
    }

    func testElementsBecomeLines() throws {
        let text =
            "[ 1.0e2 ,\"a\\\" b\\\\\" , { \"c d\" :\n[ ] } ,[ [ ],{ } ], true,18446744073709551616,\"\\u000a\"]"
        let json = try JSONSlices(Array(text.utf8))
        let elements = try XCTUnwrap(try json.elements(of: json.document))
        let lines = elements.map { String(decoding: json.compact($0), as: UTF8.self) }
        XCTAssertEqual(
            lines,
            [
                "1.0e2", #""a\" b\\""#, #"{"c d":[]}"#, "[[],{}]", "true", "18446744073709551616",
                #""\u000a""#,
            ]
        )
        XCTAssertEqual(try JSONSlices(Array(" [ ]".utf8)).elements(of: 1..<4), [])
        XCTAssertNil(try JSONSlices(Array("{}".utf8)).elements(of: 0..<2))
    }

    func testMalformedDocumentsAreRejected() {
        let malformed = [
            "", " ", "[", "]", "{", "}", "[1", "[1,]", "[,1]", "[1 2]", "[1]]", "{1:2}", "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}", "{,}", "{\"a\" 1}", "[}", "{]", "[1}", "\"", "\"a", "\"\\x\"", "\"\\u12g4\"",
            "\"\\u12",
            "\"\\", "\"\n\"", "01", "-", "1.", ".5", "+1", "1e", "1e+", "0x1", "NaN", "tru", "truefalse",
            "nul",
            "'a'", "[1]x", "\u{FEFF}1", "/**/1",
        ]
        for text in malformed {
            XCTAssertThrowsError(try JSONSlices(Array(text.utf8)), text) {
                XCTAssertEqual($0 as? ClientError, .malformedResponse)
            }
        }
        XCTAssertThrowsError(try JSONSlices([0x22, 0xFF, 0x22]))
        for text in ["0", "-0.5E-3", "null", "\"\\ud83d\\ude00\\/\"", "[[[]]]", "{\"a\":{\"a\":{}}}"] {
            XCTAssertNoThrow(try JSONSlices(Array(text.utf8)), text)
        }
    }

    func testDepthIsLimitedAndAmbiguousFieldsAreRejected() throws {
        func nested(_ depth: Int) -> [UInt8] {
            Array(repeating: 0x5B, count: depth) + Array(repeating: 0x5D, count: depth)
        }
        XCTAssertNoThrow(try JSONSlices(nested(512)))
        XCTAssertThrowsError(try JSONSlices(nested(513)))
        XCTAssertThrowsError(try JSONSlices(Array(repeating: 0x5B, count: 1 << 20)))
        XCTAssertThrowsError(try value("a", in: #"{"a":1,"b":2,"\u0061":3}"#))
        XCTAssertEqual(try value("b", in: #"{"a":1,"b":2,"\u0061":3}"#), "2")
    }
}
