// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

final class EncodingTests: XCTestCase {
    private func randomText() -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...12) {
            let upper = [0x7F, 0x7F, 0x7FF, 0xFFFF, 0x10FFFF].randomElement() ?? 0x7F
            if let scalar = Unicode.Scalar(UInt32.random(in: 0...UInt32(upper))) { scalars.append(scalar) }
        }
        return String(scalars)
    }

    /// Escapes, most of them malformed.
    private func randomEscapes() -> String {
        String((0..<Int.random(in: 0...8)).map { _ in "%%%+04aFgä".randomElement() ?? "%" })
    }

    func testEncodingsAgreeWithPython() throws {
        let texts =
            (0..<3000).map { _ in randomText() } + (0..<128).map { String(Unicode.Scalar(UInt8($0))) }
            + (0..<1000).map { _ in randomEscapes() }
        let input = try JSONEncoder().encode(texts)
        // Python's quote leaves '~' and the named characters unencoded; the form serializer of the WHATWG leaves '*',
        // but not '~'.
        let program = """
            import json, sys
            from urllib.parse import quote, quote_plus, unquote_to_bytes, urlencode
            texts = json.load(sys.stdin)
            form = lambda text: quote_plus(text, safe="*").replace("~", "%7E")
            json.dump([[quote(t, safe=""), form(t), urlencode([(t, t)], quote_via=quote, safe=""),
                unquote_to_bytes(t).hex(), unquote_to_bytes(t.replace("+", " ")).hex()] for t in texts], sys.stdout)
            """
        let expected = try JSONDecoder().decode(
            [[String]].self,
            from: Program.succeed(["python3", "-c", program], input: input).output
        )
        XCTAssertEqual(expected.count, texts.count)
        for (text, expected) in zip(texts, expected) {
            XCTAssertEqual(PercentCoding.component.encode(text.utf8), expected[0])
            XCTAssertEqual(
                String(decoding: FormText.encode([(text, "")]), as: UTF8.self),
                expected[1] + "="
            )
            XCTAssertEqual(
                String(decoding: FormText.encode([(text, text)], as: .component), as: UTF8.self),
                expected[2]
            )
            XCTAssertEqual(Hex.encode(PercentCoding.component.decodeLeniently(text.utf8)), expected[3])
            XCTAssertEqual(Hex.encode(PercentCoding.form.decodeLeniently(text.utf8)), expected[4])
        }
    }

    /// URL standard, section 5.2: every character except ASCII letters, digits and `*-._` is percent-encoded.
    func testFormSerializerFollowsTheURLStandard() {
        let form = FormText.encode([
            ("a b", "1+1=2&x"), ("", ""), ("*-._~", "ä\u{0}\r\n😀"), ("a b", "again"),
        ])
        XCTAssertEqual(
            String(decoding: form, as: UTF8.self),
            "a+b=1%2B1%3D2%26x&=&*-._%7E=%C3%A4%00%0D%0A%F0%9F%98%80&a+b=again"
        )
        XCTAssertEqual(FormText.encode([]), [])
    }

    func testURLCombinesServerAudienceVersionAndPath() throws {
        struct Case {
            var server = "https://www.runedu.test/api"
            var pathPrefix: String? = nil
            var version: String? = nil
            var path = "/studentList"
            var expected: String
        }
        let cases = [
            Case(expected: "/api/studentList"),
            Case(pathPrefix: "teacher", version: "v2", expected: "/api/teacher/v2/studentList"),
            Case(
                server: "https://h",
                pathPrefix: "/teacher/",
                version: "/v2/",
                path: "x",
                expected: "/teacher/v2/x"
            ),
            Case(server: "https://h/", version: "v2", path: "", expected: "/v2"),
            Case(server: "https://h", path: "", expected: "/"),
            Case(server: "https://h", path: "/", expected: "/"),
            Case(server: "https://h/a//", path: "//x//y/", expected: "/a/x/y/"),
            Case(server: "https://h?q=1", path: "/a?b#c%d e", expected: "/a%3Fb%23c%25d%20e"),
            Case(
                server: "https://h",
                pathPrefix: "",
                version: "1.0",
                path: "/käse & wein/😀",
                expected: "/1.0/k%C3%A4se%20%26%20wein/%F0%9F%98%80"
            ),
            Case(server: "https://h", path: "/\\..\\x/...", expected: "/%5C..%5Cx/..."),
            Case(server: "https://h", path: "@evil:80/x", expected: "/%40evil%3A80/x"),
        ]
        for example in cases {
            var endpoint = Endpoint<[UInt8]>.get(example.path)
            endpoint.pathPrefix = example.pathPrefix
            endpoint.version = example.version
            let url = try endpoint.url(on: HTTPURL(example.server))
            XCTAssertEqual(url.target, example.expected)
            XCTAssertEqual(try HTTPURL(url.absoluteString), url, "the URL sent must equal the URL built")
        }
        for path in ["/..", "../x", "/a/../b", ".", "/a/./b"] {
            XCTAssertThrowsError(try Endpoint<[UInt8]>.get(path).url(on: HTTPURL("https://h"))) {
                XCTAssertEqual($0 as? ClientError, .invalidRequest)
            }
        }
        let defaults = try Endpoint<[UInt8]>.get("/x").url(
            on: HTTPURL("https://h"),
            pathPrefix: "a",
            version: "v"
        )
        XCTAssertEqual(defaults.target, "/a/v/x")
        let none = try Endpoint<[UInt8]>.get("/x").setting(\.pathPrefix, to: "").setting(\.version, to: "w")
            .url(on: HTTPURL("https://h"), pathPrefix: "a", version: "v")
        XCTAssertEqual(none.target, "/w/x")
    }

    func testQueryKeepsItsOrderAndCharacters() throws {
        let endpoint = Endpoint<[UInt8]>.get("/x", query: ["b": "1 2", "a": "ä+&=#", "b": "again", "": "😀"])
        XCTAssertEqual(
            try endpoint.url(on: HTTPURL("https://h")).target,
            "/x?b=1%202&a=%C3%A4%2B%26%3D%23&b=again&=%F0%9F%98%80"
        )
    }

    func testBodiesAreEncodedByKind() throws {
        struct Card: Encodable { var name: String; var number: Double }
        let form = Endpoint<Void>.post("/x", form: ["user": "a b", "word": "c&d"])
        XCTAssertEqual(form.payload?.contentType, "application/x-www-form-urlencoded")
        XCTAssertEqual(try text(of: form.payload), "user=a+b&word=c%26d")
        let json = Endpoint<[UInt8]>.post("/x", json: Card(name: "a/b", number: 1))
        XCTAssertEqual(json.payload?.contentType, "application/json")
        XCTAssertEqual(try text(of: json.payload), #"{"name":"a/b","number":1}"#)
        XCTAssertTrue(form.isRepeatable && json.isRepeatable && Endpoint<Void>.get("/x").isRepeatable)
        let stream = Endpoint<Void>(
            .put,
            "/x",
            payload: .body(HTTPRequestBody(streaming: HTTPResponseBody([1])))
        )
        XCTAssertFalse(stream.isRepeatable)
        XCTAssertThrowsError(try text(of: .json(Card(name: "", number: .nan)))) {
            XCTAssertEqual($0 as? ClientError, .invalidRequest)
            XCTAssertTrue("\($0)".contains("'number'"), "\($0)")
        }
    }

    private func text(of content: RequestPayload?) throws -> String {
        guard case .bytes(let bytes) = try content?.body().content else { return "?" }
        return String(decoding: bytes, as: UTF8.self)
    }
}
