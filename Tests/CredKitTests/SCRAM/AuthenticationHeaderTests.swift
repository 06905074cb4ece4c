// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Testing

struct AuthenticationHeaderTests {
    typealias Header = SCRAM.AuthenticationHeader

    /// The examples of RFC 7804, section 5.
    @Test func readsTheExamplesOfTheStandard() throws {
        let first = try Header.credentials(
            #"SCRAM-SHA-256 realm="testrealm@example.com", data=biwsbj11c2VyLHI9ck9wck5HZndFYmVSV2diTkVrcU8K"#
        )
        #expect(first.mechanism == .sha256)
        #expect(first["realm"] == "testrealm@example.com")
        #expect(try first.message() == "n,,n=user,r=rOprNGfwEbeRWgbNEkqO\n")
        let challenge = try Header.challenges([
            #"SCRAM-SHA-256 sid=AAAABBBBCCCCDDDD,"#
                + #" data="cj1yT3ByTkdmd0ViZVJXZ2JORWtxTyVodllEcFdVYTJSYVRDQWZ1eEZJbGopaE5sRixzPVcyMlphSjBTTlk3c29Fc1VFamI2Z1E9PSxpPTQwOTYK""#
        ])
        #expect(challenge.map(\.mechanism) == [.sha256])
        #expect(challenge[0]["SID"] == "AAAABBBBCCCCDDDD")
        let information = try Header.information(
            #"sid=AAAABBBBCCCCDDDD, data="dj02cnJpVFJCaTIzV3BSUi93dHVwK21NaFVaVW4vZEI1bkxUSlJzamw5NUc0PQ==""#
        )
        #expect(information.scheme == nil && information["data"] != nil)
    }

    @Test func readsListsOfSchemes() throws {
        let all = try Header.challenges([
            #", Negotiate YWJj==, Digest realm="a, b=\"c\"", nonce = x ,Basic,,SCRAM-SHA-256"#,
            "scram-sha-256-plus realm=x", "Basic realm=x, charset=\"UTF-8\"",
        ])
        #expect(
            all.map(\.scheme) == [
                "Negotiate", "Digest", "Basic", "SCRAM-SHA-256", "scram-sha-256-plus", "Basic",
            ]
        )
        #expect(all[1]["REALM"] == #"a, b="c""# && all[1]["nonce"] == "x")
        #expect(all.map(\.mechanism) == [nil, nil, nil, .sha256, .sha256Plus, nil])
        #expect(all[5].parameters.map(\.name) == ["realm", "charset"])
        #expect(try Header.challenges([]).isEmpty && Header.challenges(["", " , "]).isEmpty)
    }

    @Test(arguments: [
        "", "SCRAM-SHA-256 data", "SCRAM-SHA-256 data=\"a", "SCRAM-SHA-256 data=\"a\\",
        "SCRAM-SHA-256 data=\"",
        "SCRAM-SHA-256 data=a data=b", "SCRAM-SHA-256 data=a, DATA=b", "SCRAM-SHA-256 a=\"b\"c=d", "=a",
        "SCRAM-SHA-256 data=a, Basic", "SCRAM-SHA-256, SCRAM-SHA-256", "S\u{E9} a=b", "a b=\"\r\n\"",
        "a b=\"\u{0}\"",
        "a b=\"\\\n\"", "a b=c;d=e", "\"a\" b=c", "a\tb=c", "a b=(", "a b=c d", "a, b=c",
    ])
    func refusesOthers(_ text: String) {
        #expect(throws: SCRAM.Error.malformedMessage) { try Header.credentials(text) }
    }

    @Test func boundsSizesAndNumbers() throws {
        let parameters = (0..<17).map { "p\($0)=x" }
        #expect(
            try Header.credentials("a " + parameters.dropLast().joined(separator: ",")).parameters.count == 16
        )
        #expect(throws: SCRAM.Error.overLimit) {
            try Header.credentials("a " + parameters.joined(separator: ","))
        }
        #expect(throws: SCRAM.Error.overLimit) { try Header.information(parameters.joined(separator: ",")) }
        #expect(throws: SCRAM.Error.overLimit) {
            try Header.challenges([parameters.map { "a \($0)" }.joined(separator: ",")])
        }
        #expect(throws: SCRAM.Error.overLimit) { try Header.challenges(parameters.map { "a \($0)" }) }
        let long = "a b=" + String(repeating: "x", count: Header.maximumByteCount)
        #expect(throws: SCRAM.Error.overLimit) { try Header.credentials(long) }
    }

    /// What is cut says less, or nothing, and never something else.
    @Test func everyCutIsRefusedOrShorter() throws {
        let text = #"SCRAM-SHA-256 sid="a\"b\\", data="YWJj", x=y"#
        let whole = try Header.credentials(text)
        for count in 0..<text.utf8.count {
            guard
                let cut = try? Header.credentials(
                    String(decoding: Array(text.utf8.prefix(count)), as: UTF8.self)
                )
            else { continue }
            for parameter in cut.parameters { #expect(whole.parameters.contains(parameter)) }
        }
    }

    @Test func printsWhatItReads() throws {
        let header = try Header("SCRAM-SHA-256", realm: #"a"\b, c=d ü"#, sid: "s", message: "n,,n=u,r=x")
        #expect(header.text == #"SCRAM-SHA-256 realm="a\"\\b, c=d ü", sid="s", data="biwsbj11LHI9eA==""#)
        #expect(try Header.credentials(header.text) == header)
        #expect(try header.message() == "n,,n=u,r=x")
        #expect("\(header)" == "‹header SCRAM-SHA-256›")
        let information = try Header(nil, sid: "s", others: [.init("verifier-ticket", "t")])
        #expect(information.text == #"sid="s", verifier-ticket="t""#)
        #expect(try Header.information(information.text) == information)
        #expect(try Header("Basic").text == "Basic")
    }

    @Test func refusesToPrintLineBreaks() {
        #expect(throws: SCRAM.Error.malformedMessage) { try Header("a", sid: "b\r\nSet-Cookie: c=d") }
        #expect(throws: SCRAM.Error.malformedMessage) { try Header("a b") }
        #expect(throws: SCRAM.Error.malformedMessage) { try Header("") }
        #expect(throws: SCRAM.Error.malformedMessage) {
            try Header("a", sid: "b", others: [.init("SID", "c")])
        }
        #expect(throws: SCRAM.Error.malformedMessage) { try Header.credentials("a data=\"!\"").message() }
        #expect(throws: SCRAM.Error.malformedMessage) { try Header.credentials("a data=\"/w==\"").message() }
    }
}
