// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

final class AuthenticationHeaderTests: XCTestCase {
    typealias Header = SCRAM.AuthenticationHeader

    /// The examples of RFC 7804, section 5.
    func testReadsTheExamplesOfTheStandard() throws {
        let first = try Header.credentials(
            #"SCRAM-SHA-256 realm="testrealm@example.com", data=biwsbj11c2VyLHI9ck9wck5HZndFYmVSV2diTkVrcU8K"#
        )
        XCTAssert(first.mechanism == .sha256)
        XCTAssert(first["realm"] == "testrealm@example.com")
        XCTAssert(try first.message() == "n,,n=user,r=rOprNGfwEbeRWgbNEkqO\n")
        let challenge = try Header.challenges([
            #"SCRAM-SHA-256 sid=AAAABBBBCCCCDDDD,"#
                + #" data="cj1yT3ByTkdmd0ViZVJXZ2JORWtxTyVodllEcFdVYTJSYVRDQWZ1eEZJbGopaE5sRixzPVcyMlphSjBTTlk3c29Fc1VFamI2Z1E9PSxpPTQwOTYK""#
        ])
        XCTAssert(challenge.map(\.mechanism) == [.sha256])
        XCTAssert(challenge[0]["SID"] == "AAAABBBBCCCCDDDD")
        let information = try Header.information(
            #"sid=AAAABBBBCCCCDDDD, data="dj02cnJpVFJCaTIzV3BSUi93dHVwK21NaFVaVW4vZEI1bkxUSlJzamw5NUc0PQ==""#
        )
        XCTAssert(information.scheme == nil && information["data"] != nil)
    }

    func testReadsListsOfSchemes() throws {
        let all = try Header.challenges([
            #", Negotiate YWJj==, Digest realm="a, b=\"c\"", nonce = x ,Basic,,SCRAM-SHA-256"#,
            "scram-sha-256-plus realm=x", "Basic realm=x, charset=\"UTF-8\"",
        ])
        XCTAssert(
            all.map(\.scheme) == [
                "Negotiate", "Digest", "Basic", "SCRAM-SHA-256", "scram-sha-256-plus", "Basic",
            ]
        )
        XCTAssert(all[1]["REALM"] == #"a, b="c""# && all[1]["nonce"] == "x")
        XCTAssert(all.map(\.mechanism) == [nil, nil, nil, .sha256, .sha256Plus, nil])
        XCTAssert(all[5].parameters.map(\.name) == ["realm", "charset"])
        XCTAssert(try Header.challenges([]).isEmpty && Header.challenges(["", " , "]).isEmpty)
    }

    func testRefusesOthers() {
        let texts = [
            "", "SCRAM-SHA-256 data=\"a", "SCRAM-SHA-256 data=\"a\\",
            "SCRAM-SHA-256 data=\"",
            "SCRAM-SHA-256 data=a data=b", "SCRAM-SHA-256 data=a, DATA=b", "SCRAM-SHA-256 a=\"b\"c=d", "=a",
            "SCRAM-SHA-256 data=a, Basic", "SCRAM-SHA-256, SCRAM-SHA-256", "S\u{E9} a=b", "a b=\"\r\n\"",
            "a b=\"\u{0}\"",
            "a b=\"\\\n\"", "a b=c;d=e", "\"a\" b=c", "a\tb=c", "a b=(", "a b=c d", "a, b=c",
        ]
        for text in texts {
            XCTAssertThrowsError(try Header.credentials(text), text) {
                XCTAssertEqual($0 as? SCRAM.Error, .malformedMessage, text)
            }
        }
    }

    func testTextOfAnotherSchemeIsNotAParameter() throws {
        for text in [
            "Basic YTpi", "Negotiate abc==", "SCRAM-SHA-256 data=", "SCRAM-SHA-256 data", "SCRAM-SHA-256 ",
        ] {
            let header = try Header.credentials(text)
            XCTAssertEqual(header.parameters, [])
            XCTAssertNil(try header.message())
        }
    }

    func testBoundsSizesAndNumbers() throws {
        let parameters = (0..<17).map { "p\($0)=x" }
        XCTAssert(
            try Header.credentials("a " + parameters.dropLast().joined(separator: ",")).parameters.count == 16
        )
        assertThrows(.overLimit) {
            try Header.credentials("a " + parameters.joined(separator: ","))
        }
        for text in ["sid=a, scheme", "sid=a, data=b, scheme data=c"] {
            assertThrows(.malformedMessage) { try Header.information(text) }
        }
        assertThrows(.overLimit) { try Header.information(parameters.joined(separator: ",")) }
        assertThrows(.overLimit) {
            try Header.challenges([parameters.map { "a \($0)" }.joined(separator: ",")])
        }
        assertThrows(.overLimit) { try Header.challenges(parameters.map { "a \($0)" }) }
        let long = "a b=" + String(repeating: "x", count: Header.maximumByteCount)
        assertThrows(.overLimit) { try Header.credentials(long) }
    }

    /// What is cut says less, or nothing, and never something else.
    func testEveryCutIsRefusedOrShorter() throws {
        let text = #"SCRAM-SHA-256 sid="a\"b\\", data="YWJj", x=y"#
        let whole = try Header.credentials(text)
        for count in 0..<text.utf8.count {
            guard
                let cut = try? Header.credentials(
                    String(decoding: Array(text.utf8.prefix(count)), as: UTF8.self)
                )
            else { continue }
            for parameter in cut.parameters { XCTAssert(whole.parameters.contains(parameter)) }
        }
    }

    func testPrintsWhatItReads() throws {
        let header = try Header("SCRAM-SHA-256", realm: #"a"\b, c=d ü"#, sid: "s", message: "n,,n=u,r=x")
        XCTAssert(header.text == #"SCRAM-SHA-256 realm="a\"\\b, c=d ü", sid="s", data="biwsbj11LHI9eA==""#)
        XCTAssert(try Header.credentials(header.text) == header)
        XCTAssert(try header.message() == "n,,n=u,r=x")
        XCTAssert("\(header)" == "‹header SCRAM-SHA-256›")
        let information = try Header(nil, sid: "s", others: [.init("verifier-ticket", "t")])
        XCTAssert(information.text == #"sid="s", verifier-ticket="t""#)
        XCTAssert(try Header.information(information.text) == information)
        XCTAssert(try Header("Basic").text == "Basic")
    }

    func testRefusesToPrintLineBreaks() {
        assertThrows(.malformedMessage) { try Header("a", sid: "b\r\nSet-Cookie: c=d") }
        assertThrows(.malformedMessage) { try Header("a b") }
        assertThrows(.malformedMessage) { try Header("") }
        assertThrows(.malformedMessage) {
            try Header("a", sid: "b", others: [.init("SID", "c")])
        }
        assertThrows(.malformedMessage) { try Header.credentials("a data=\"!\"").message() }
        assertThrows(.malformedMessage) { try Header.credentials("a data=\"/w==\"").message() }
    }

    private func assertThrows(
        _ expected: SCRAM.Error,
        line: UInt = #line,
        _ body: () throws -> some Any
    ) {
        XCTAssertThrowsError(try body(), line: line) {
            XCTAssertEqual($0 as? SCRAM.Error, expected, line: line)
        }
    }
}
