// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

/// Each byte that a covered component is taken from is changed, and each signature must then be refused. Changes that the
/// RFC normalizes away are named and must be accepted.
final class SignedComponentTests: XCTestCase {
    private typealias Component = MessageSignature.Component
    private typealias Request = MessageSignature.Request
    private typealias Response = MessageSignature.Response

    private let now = UnixTime(1_700_000_000)

    private let request = Request(
        method: "POST",
        scheme: "https",
        authority: "www.example.com:8443",
        path: "/a/b%20c",
        query: "p=1&q=two%20x&r",
        fields: [
            .init("X-Plain", "one value"), .init("X-Lines", "a, b"), .init("x-lines", "c"),
            .init("Priority", "u=1, i;a=\"b\""), .init("X-Members", "a=1, b=(2 3);x, c"),
            .init("X-Bytes", "é\u{7F}"),
        ]
    )

    /// Signs a message with one component, and returns whether another message has the same signature.
    private func verifies(
        _ component: Component,
        _ original: MessageSignature.Message,
        _ changed: MessageSignature.Message
    ) throws -> Bool {
        let key = try MessageSignature.SigningKey.hmacSHA256([UInt8](repeating: 7, count: 32))
        let signer = try MessageSignature.Signer(key: key, keyID: "k", covering: [component])
        let signed = try signer.sign(original, at: now)
        let lines = [
            MessageSignature.Field("Signature-Input", signed.signatureInput),
            MessageSignature.Field("Signature", signed.signature),
        ]
        let message: MessageSignature.Message
        switch changed {
        case .request(var request):
            request.fields += lines
            message = .request(request)
        case .response(var response):
            response.fields += lines
            message = .response(response)
        }
        let verifier = try MessageSignature.Verifier(requiring: [component])
        guard case .valid = verifier.verify(message, at: now, key: { _ in key.verificationKey }) else {
            return false
        }
        return true
    }

    /// Checks a component of a request, of the request of a response, and, if it is a field, of a response.
    private func check(
        _ component: Component,
        accepted: Bool = false,
        line: UInt = #line,
        _ change: (inout Request) -> Void
    ) throws {
        var changed = request
        change(&changed)
        XCTAssertNotEqual(changed, request, line: line)
        let isValid = try verifies(component, .request(request), .request(changed))
        XCTAssertEqual(isValid, accepted, "\(component): \(changed)", line: line)
        let bound = try verifies(
            component.ofRequest,
            .response(.init(status: 200, request: request)),
            .response(.init(status: 200, request: changed))
        )
        XCTAssertEqual(bound, accepted, "\(component);req: \(changed)", line: line)
        guard component.name.first != "@" else { return }
        let isOfResponse = try verifies(
            component,
            .response(.init(status: 200, fields: request.fields)),
            .response(.init(status: 200, fields: changed.fields))
        )
        XCTAssertEqual(isOfResponse, accepted, "\(component) of a response: \(changed)", line: line)
    }

    /// Changes each byte of a part, and drops and appends one.
    private func checkEachByte(
        _ component: Component,
        _ part: WritableKeyPath<Request, String>,
        line: UInt = #line
    ) throws {
        for index in request[keyPath: part].utf8.indices {
            try check(component, line: line) {
                $0[keyPath: part] = Self.changed($0[keyPath: part], at: index)
            }
        }
        try check(component, line: line) { $0[keyPath: part].removeLast() }
        try check(component, line: line) { $0[keyPath: part] += "0" }
    }

    private func checkEachByteOfQuery(_ component: Component, _ range: Range<Int>) throws {
        for index in range {
            try check(component) { request in
                let query = request.query ?? ""
                request.query = Self.changed(query, at: query.utf8.index(query.startIndex, offsetBy: index))
            }
        }
    }

    private static func changed(_ text: String, at index: String.Index) -> String {
        let offset = text.utf8.distance(from: text.startIndex, to: index)
        var bytes = Array(text.utf8)
        bytes[offset] ^= 1
        return String(decoding: bytes, as: UTF8.self)
    }

    private func checkEachByte(_ component: Component, ofLine index: Int, _ range: Range<Int>? = nil) throws {
        for offset in range ?? request.fields[index].value.indices {
            try check(component) { $0.fields[index].value[offset] ^= 1 }
        }
        try check(component) { $0.fields.remove(at: index) }
    }

    func testMethodAndURL() throws {
        try checkEachByte(.method, \.method)
        try check(.method) { $0.method = "post" }
        for part in [\Request.scheme, \.authority, \.path] { try checkEachByte(.targetURI, part) }
        try checkEachByteOfQuery(.targetURI, 0..<15)
        try check(.targetURI) { $0.query = nil }
        try check(.targetURI) { $0.scheme = "HTTPS" }
        try checkEachByte(.authority, \.authority)
        try check(.authority, accepted: true) { $0.authority = "WWW.Example.COM:8443" }
        try check(.authority) { $0.authority = "www.example.com" }
        try checkEachByte(.scheme, \.scheme)
        try check(.scheme, accepted: true) { $0.scheme = "HTTPS" }
        try checkEachByte(.requestTarget, \.path)
        try checkEachByteOfQuery(.requestTarget, 0..<15)
        try check(.requestTarget) { $0.target = "*" }
        try checkEachByte(.path, \.path)
        // The same path to most servers, but not to all.
        try check(.path) { $0.path = "/%61/b%20c" }
        try check(.path, accepted: true) { $0.query = "other" }
        try checkEachByteOfQuery(.query, 0..<15)
        try check(.query) { $0.query = nil }
        try check(.query) { $0.query = "p=1&q=two+x&r" }
    }

    func testQueryParameters() throws {
        let component = try Component.queryParameter("q")
        // "q=two%20x": the name, the sign and each byte of the value.
        try checkEachByteOfQuery(component, 4..<13)
        for query in ["p=1&r", "p=1&q=two%20x&q=two%20x", "p=1&q=two%20x&%71", "q", "p=1&q=two%20x&%FF"] {
            try check(component) { $0.query = query }
        }
        for query in ["q=two+x", "%71=t%77o%20x", "q=two x&r=2", "&&q=two%20x"] {
            try check(component, accepted: true) { $0.query = query }
        }
    }

    func testFields() throws {
        let plain = try Component.field("x-plain")
        try checkEachByte(plain, ofLine: 0)
        try check(plain) { $0.fields.append(.init("x-plain", "")) }
        try check(plain, accepted: true) { $0.fields[0] = .init("x-PLAIN", " \tone value ") }
        try check(plain, accepted: true) { $0.fields[0].value = Array("one\r\n value".utf8) }
        try check(plain) { $0.fields[0].value = Array("one  value".utf8) }
        let lines = try Component.field("x-lines")
        for index in [1, 2] { try checkEachByte(lines, ofLine: index) }
        try check(lines) { $0.fields.swapAt(1, 2) }
        // Lines are joined.
        try check(lines, accepted: true) {
            $0.fields.replaceSubrange(1...2, with: [.init("x-lines", "a, b, c")])
        }
        try check(lines) { $0.fields[1].value = Array("a,b".utf8) }
    }

    func testFieldsAsBytes() throws {
        let lines = try Component("x-lines", parameters: ["bs": true])
        for index in [1, 2] { try checkEachByte(lines, ofLine: index) }
        try check(lines) { $0.fields.swapAt(1, 2) }
        try check(lines) { $0.fields.replaceSubrange(1...2, with: [.init("x-lines", "a, b, c")]) }
        try check(lines, accepted: true) { $0.fields[1].value.append(0x20) }
        let bytes = try Component("x-bytes", parameters: ["bs": true])
        try checkEachByte(bytes, ofLine: 5)
    }

    func testStructuredFields() throws {
        let priority = try Component("priority", parameters: ["sf": true])
        let value = request.fields[3].value
        let space = try XCTUnwrap(value.firstIndex(of: 0x20))
        for range in [0..<space, (space + 1)..<value.count] {
            try checkEachByte(priority, ofLine: 3, range)
        }
        try check(priority) { $0.fields[3].value[space] = UInt8(ascii: ",") }
        try check(priority, accepted: true) { $0.fields[3].value = Array("u=1 ,\t i=?1; a=\"b\"".utf8) }
        let members: [(String, Range<Int>)] = [("a", 0..<3), ("b", 5..<14), ("c", 16..<17)]
        for (key, range) in members {
            let member = try Component("x-members", parameters: ["key": .string(key)])
            try checkEachByte(member, ofLine: 4, range)
            // Other members are not covered.
            try check(member, accepted: true) { $0.fields[4].value += Array(", d=1".utf8) }
            try check(member) { $0.fields[4].value += Array(", \(key)=1".utf8) }
        }
    }

    func testStatus() throws {
        for status in [200, 404, 503] {
            for other in 100...999 {
                let isValid = try verifies(
                    .status,
                    .response(.init(status: status)),
                    .response(.init(status: other))
                )
                XCTAssertEqual(isValid, other == status)
            }
        }
    }

    /// A response that covers no component of its request is valid as a response to any.
    func testResponsesAreBoundToTheirRequestsOnlyByWhatTheyCover() throws {
        let response = Response(status: 200, request: request)
        var other = response
        other.request = Request(method: "DELETE", authority: "b.example", path: "/")
        XCTAssertTrue(try verifies(.status, .response(response), .response(other)))
        for component in [Component.method, .targetURI, .authority, .path, .query] {
            XCTAssertFalse(try verifies(component.ofRequest, .response(response), .response(other)))
            other.request = nil
            XCTAssertFalse(try verifies(component.ofRequest, .response(response), .response(other)))
            other.request = request
            XCTAssertTrue(try verifies(component.ofRequest, .response(response), .response(other)))
            other.request = Request(method: "DELETE", authority: "b.example", path: "/")
        }
        // The signature of the request binds all that it covers, and its nonce.
        var signed = response
        signed.request?.fields.append(.init("Signature", "sig=:AAAA:"))
        let member = try Component("signature", parameters: ["key": "sig"]).ofRequest
        var moved = signed
        moved.request?.fields[6].value[5] ^= 1
        XCTAssertTrue(try verifies(member, .response(signed), .response(signed)))
        XCTAssertFalse(try verifies(member, .response(signed), .response(moved)))
    }
}
