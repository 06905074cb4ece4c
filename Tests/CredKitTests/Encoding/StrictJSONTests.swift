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

    @Test func bytesThatAreNotUTF8AreRefused() {
        for bytes in [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]]
            as [[UInt8]]
        {
            #expect(throws: StrictJSON.ParsingError.self) { try StrictJSON(parsing: bytes) }
        }
    }
}
