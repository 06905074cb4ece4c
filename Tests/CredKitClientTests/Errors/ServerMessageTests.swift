// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation
import HTTPTypes
import Testing

@testable import CredKitClient

struct ServerMessageTests {
    /// Returns the message of a response of a type.
    private func message(_ body: String, _ type: String? = "application/json") -> String? {
        var head = HTTPResponse(status: .serviceUnavailable)
        if let type { head.headerFields[.contentType] = type }
        return ServerMessage.text(of: head, Array(body.utf8))
    }

    @Test
    func messageIsFoundWhereServersPutIt() {
        let problem = #"{"title": "Busy", "detail": "try again"}"#
        #expect(message(problem, "application/problem+json") == "Busy: try again")
        #expect(message(#"{"title": "Busy", "status": 503}"#) == "Busy")
        for body in [
            #"{"detail": "no"}"#, #"{"message": " no\n"}"#, #"{"code": 7, "msg": "no"}"#, #"{"error": "no"}"#,
            #"{"error": {"code": 1, "message": "no"}}"#, #"{"error": "x", "error_description": "no"}"#,
            #"{"h": {"code": 500, "msg": "no"}, "b": null}"#, #""no""#,
        ] { #expect(message(body) == "no", "\(body)") }
        #expect(message(" try again\n", "text/plain; charset=utf-8") == "try again")
        #expect(message("try again", nil) == "try again")
    }

    @Test
    func pagesAndOtherDataAreNoMessage() {
        for body in [
            "{}", "[]", "7", "{", #"{"detail": 7}"#, #"{"message": ""}"#,
            #"{"message": "a", "message": "b"}"#,
        ] { #expect(message(body) == nil, "\(body)") }
        #expect(message("<h1>no</h1>", "text/html") == nil)
        #expect(message("<h1>no</h1>", nil) == nil)
        #expect(message(" \n", "text/plain") == nil)
        #expect(message(String(repeating: "x", count: 65 << 10), "text/plain") == nil)
        #expect(ServerMessage.text(of: HTTPResponse(status: .notFound), [0xFF]) == nil)
    }

    @Test
    func encodedSecretIsFound() throws {
        let password = "pa$$ w0rd/7"
        let secret = try SecretBytes(password)
        let bytes = Array(password.utf8)
        let hex = bytes.map { String($0, radix: 16) }.joined()
        let escaped = bytes.map { "%" + String($0, radix: 16) }.joined()
        for before in ["", "a", "ab", "abc", "bob:"] {
            let text = Data(Array(before.utf8) + bytes).base64EncodedString()
            for encoded in [text, text.replacing("+", with: "-").replacing("/", with: "_")] {
                #expect(ServerMessage.repeats(secret, in: "not \(encoded), sorry"), "\(before)")
            }
            #expect(ServerMessage.repeats(secret, in: "not \(before)\(hex)"), "\(before)")
            #expect(ServerMessage.repeats(secret, in: "\(before)\(password.uppercased())"), "\(before)")
        }
        for text in [escaped, escaped.uppercased(), "pa%24%24+w0rd%2F7", "W0RD", hex.uppercased()] {
            #expect(ServerMessage.repeats(secret, in: text), "\(text)")
        }
        for text in ["", "word", "unknown user or wrong password", "status 401 of request 2016-08-17"] {
            #expect(!ServerMessage.repeats(secret, in: text), "\(text)")
        }
        #expect(ServerMessage.repeats("ab", in: "xAb") && !ServerMessage.repeats("ab", in: "ba"))
        #expect(!ServerMessage.repeats("", in: "a"))
        #expect(ServerMessage.repeatsValue(of: ["en", "session-8"], in: "session-"))
        #expect(!ServerMessage.repeatsValue(of: ["en", "session-8"], in: "open"))
    }

    @Test
    func endingIsShortAndSafe() {
        #expect(ServerMessage.ending(nil, retryAfter: nil) == "")
        #expect(ServerMessage.ending("a\u{1B}b", retryAfter: .seconds(1)) == ": a b (retry in 1 second)")
        #expect(ServerMessage.ending(String(repeating: "x", count: 999), retryAfter: nil).count == 202)
        let error = ClientError(.unexpectedStatus, message: "busy", retryAfter: .seconds(5))
        #expect(error.description == "busy (retry in 5 seconds)")
    }

    @Test
    func waitIsANumberOrADate() {
        var head = HTTPResponse(status: .serviceUnavailable)
        for (value, seconds) in [("5", 5), ("x", nil), ("-1", nil)] as [(String, Int64?)] {
            head.headerFields[.retryAfter] = value
            #expect(head.retryAfter?.components.seconds == seconds, "\(value)")
        }
        head.headerFields[.date] = "Sun, 06 Nov 1994 08:49:37 GMT"
        head.headerFields[.retryAfter] = "Sun, 06 Nov 1994 08:50:07 GMT"
        #expect(head.retryAfter == .seconds(30))
        head.headerFields[.retryAfter] = "Sun, 06 Nov 1994 08:00:00 GMT"
        #expect(head.retryAfter == .zero)
    }
}
