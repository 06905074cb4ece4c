// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import XCTest

@testable import CredKitClient

/// Printed, dumped and error texts contain no secrets and no control characters.
final class PrintingTests: XCTestCase {
    private struct Map: Decodable, Sendable { var map: [String: Int] }

    private func printed(_ value: Any) -> String {
        var text = "\(value) \(String(reflecting: value)) \([value]) \(Optional(value) as Any)"
        dump([value], to: &text)
        return text
    }

    func testRequestsPrintNoSecrets() throws {
        let endpoint = Endpoint<Map>.post("/x", query: ["token": "SECRET1"], form: ["password": "SECRET2"])
            .setting(\.headers, to: [.authorization: "Bearer SECRET3"])
        let json = Endpoint<Map>.post("/x", json: ["password": "SECRET4"])
        let url = try HTTPURL("https://school.example/x?password=SECRET5")
        let body = HTTPRequestBody(Array("SECRET6".utf8))
        let stream = HTTPRequestBody(streaming: HTTPResponseBody(Array("SECRET7".utf8)), byteCount: 7)
        let all: [Any] = [endpoint, json, url, body, stream, endpoint.payload as Any]
        for value in all {
            let text = printed(value)
            XCTAssertFalse(text.contains("SECRET"), text)
            XCTAssertFalse(text.contains("83, 69, 67"), text)
            XCTAssertFalse(text.contains("- 83\n"), text)
        }
        XCTAssertEqual("\(endpoint)", "Endpoint(POST /x)")
        XCTAssertEqual(String(reflecting: url), "https://school.example/x")
        XCTAssertEqual("\(body)", "HTTPRequestBody(7 bytes)")
    }

    func testServerKeysInErrorsHaveNoControlCharacters() {
        // CSI as one character, a change of text direction, DEL, and a line separator.
        let json = #"{"map": {"a\#u{9B}31mb\#u{202E}c\#u{7F}d\#u{2028}": "x"}}"#
        XCTAssertThrowsError(try Endpoint<Map>.get("/").decode(HTTPResponse(status: .ok), Array(json.utf8))) {
            XCTAssertEqual($0 as? ClientError, .malformedResponse)
            XCTAssertEqual("\($0)", "the response has no Int at 'map.a 31mb c d '")
        }
    }
}
