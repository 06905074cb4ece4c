// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import Testing

/// The strict reader of JSON, and what it writes.
@Suite struct StrictJSONTests {
    @Test(arguments: [
        "{}", "[]", "null", "true", "false", "0", "-1.5e+10", #""""#, #"{"a":[1,{"b":null}],"c":"d"}"#,
        #""\u001f\"\\/\u003c\u007f\u2028""#, "[[[[[[[1]]]]]]]",
    ])
    func textIsReadAndWritten(_ text: String) throws {
        #expect(try StrictJSON(parsing: text.utf8).text == text)
    }

    @Test func textIsWrittenInItsShortestForm() throws {
        let text = #" { "b" : "\u0041\/\ud83d\ude00ä\n" , "a" : [ 1 , 2 ] } "#
        #expect(try StrictJSON(parsing: text.utf8).text == #"{"a":[1,2],"b":"A/😀ä\u000a"}"#)
    }

    @Test(arguments: [
        "", " ", "{", "[1,]", "{,}", #"{"a"}"#, #"{"a":1,}"#, #"{"a":1,"a":1}"#, #"{"a":1,"\u0061":1}"#, "01",
        "1.", ".5", "+1", "1e", "tru", "nul", "NaN", "'a'", #""a"#, "\"\n\"", #""\x""#, #""\ud800""#,
        #""\ude00\ud83d""#, #""\u12""#, "1 2", "{} x", "\u{FEFF}{}", "[[[[[[[[1]]]]]]]]", "/**/1",
    ])
    func otherTextIsRefused(_ text: String) {
        #expect(throws: StrictJSON.ParsingError.self) { try StrictJSON(parsing: text.utf8) }
    }

    /// A long run of combining characters would take long to hash and to compare.
    @Test func longNamesAreRefused() throws {
        let mark = "\u{301}"
        for (name, isRead) in [
            (String(repeating: "x", count: 128), true), (String(repeating: "x", count: 129), false),
            (String(repeating: mark, count: 64), true), (String(repeating: mark, count: 65), false),
        ] {
            let value = try? StrictJSON(parsing: #"{"\#(name)":1}"#.utf8)
            #expect((value != nil) == isRead, "\(name.utf8.count) bytes")
        }
    }

    @Test func textsAreComparedAsBytes() {
        #expect(StrictJSON.string("\u{E9}").isText("\u{E9}"))
        #expect(!StrictJSON.string("\u{E9}").isText("e\u{301}"))
        #expect(!StrictJSON.null.isText("null"))
    }

    @Test func bytesThatAreNotUTF8AreRefused() {
        for bytes in [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]]
            as [[UInt8]]
        {
            #expect(throws: StrictJSON.ParsingError.self) { try StrictJSON(parsing: bytes) }
        }
    }
}
