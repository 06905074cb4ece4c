// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Logins by SCRAM at a server that lies.
final class SCRAMHostileServerTests: SessionTestCase {
    /// Logs in and returns the error. Nothing of a login that fails may remain.
    private func logIn(_ server: SCRAMScript, line: UInt = #line) async throws -> ClientError? {
        let session = try session(profile: .scram(), transport: server.transport) { $0.name = "\(UUID())" }
        let error = await failure { try await session.logIn(username: "alice", password: "zhang") }
        guard let error else { return nil }
        XCTAssertNil(session.account, line: line)
        XCTAssertTrue(session.cookies.isEmpty, line: line)
        XCTAssertTrue(session.scramKeys.isEmpty, line: line)
        let password = try await password(of: "alice")
        XCTAssertNil(password, line: line)
        XCTAssertTrue(files.isEmpty, line: line)
        XCTAssertFalse("\(error)".contains("zhang"), line: line)
        return error
    }

    func testSuccessCountsOnlyWithTheServersSignature() async throws {
        let changes: [(String, SCRAMScript.Change)] = [
            ("no header", { $0.field = nil }), ("no data", { $0.message = nil }),
            ("no sid", { $0.sid = nil }), ("other sid", { $0.sid = "other" }),
            ("empty", { $0.text = "" }), ("not UTF-8", { $0.message = [0x76, 0x3D, 0xFF] }),
            ("wrong", { $0.text = "v=\(Base64.standard.encode([UInt8](repeating: 7, count: 32)))" }),
            ("error", { $0.text = "e=other-error" }), ("rejected", { $0.text = "e=invalid-proof" }),
            ("twice in one", { $0.text += "," + $0.text }),
            ("extension first", { $0.text = "x=1," + $0.text }),
            ("mandatory", { $0.text = "m=1," + $0.text }), ("mandatory behind", { $0.text += ",m=1" }),
            ("long", { $0.text += ",x=" + String(repeating: "x", count: 9000) }),
            ("other field", { $0.field = "WWW-Authenticate" }),
            ("not Base64", { $0.header = "sid=\"exchange\", data=\"dj0=x\"" }),
            ("malformed", { $0.header = "sid=\"exchange\", data=" }),
            ("two headers", { $0.headers.append(("Authentication-Info", "sid=\"exchange\"")) }),
            ("201", { ($0.status, $0.field) = (.created, nil) }),
            ("204", { ($0.status, $0.field, $0.body) = (.noContent, nil, "") }),
        ]
        for (name, change) in changes {
            let server = try SCRAMScript()
            server.changeLast(change)
            let error = try await logIn(server)
            XCTAssertEqual(error, .serverNotAuthenticated, name)
        }
    }

    func testSignatureCutAtEachByte() async throws {
        for count in 0..<46 {
            let server = try SCRAMScript()
            server.changeLast { $0.message = $0.message.map { Array($0.prefix(count)) } }
            let error = try await logIn(server)
            XCTAssertEqual(error, .serverNotAuthenticated, "\(count)")
        }
    }

    func testSuccessBeforeTheProof() async throws {
        for status in [HTTPResponse.Status.ok, .created, .noContent] {
            let server = try SCRAMScript()
            server.changeFirst { reply in
                reply.status = status
                reply.headers = [("Set-Cookie", "sid=planted"), ("x-auth-token", "planted")]
            }
            let error = try await logIn(server)
            XCTAssertEqual(error, .serverNotAuthenticated)
            XCTAssertEqual(server.count("last"), 0)
        }
    }

    func testChallengeCutAtEachByte() async throws {
        // r= and both nonces, s= and 16 bytes, i=4096.
        for count in 0..<(2 + 48 + 3 + 24 + 7) {
            let server = try SCRAMScript()
            server.changeFirst { $0.message = $0.message.map { Array($0.prefix(count)) } }
            let error = try await logIn(server)
            XCTAssertTrue([.malformedChallenge, .iterationsRefused].contains(error), "\(count)")
            XCTAssertEqual(server.count("last"), 0)
        }
    }

    func testMalformedChallenges() async throws {
        let refused = ClientError.iterationsRefused
        let changes: [(String, ClientError, SCRAMScript.Change)] = [
            ("0", .iterationsRefused, { $0.text = $0.text.replacing("i=4096", with: "i=0") }),
            ("1", refused, { $0.text = $0.text.replacing("i=4096", with: "i=1") }),
            ("4095", refused, { $0.text = $0.text.replacing("i=4096", with: "i=4095") }),
            ("600001", refused, { $0.text = $0.text.replacing("i=4096", with: "i=600001") }),
            ("2³¹", refused, { $0.text = $0.text.replacing("i=4096", with: "i=2147483648") }),
            (
                "40 digits", refused,
                { $0.text = $0.text.replacing("i=4096", with: "i=" + String(repeating: "9", count: 40)) }
            ),
            ("sign", .malformedChallenge, { $0.text = $0.text.replacing("i=4096", with: "i=+4096") }),
            ("zero first", refused, { $0.text = $0.text.replacing("i=4096", with: "i=04096") }),
            ("twice", .malformedChallenge, { $0.text += ",i=4096" }),
            ("salt twice", .malformedChallenge, { $0.text = $0.text.replacing(",i=", with: ",s=AAAA,i=") }),
            ("mandatory", .malformedChallenge, { $0.text = "m=x," + $0.text }),
            ("mandatory behind", .malformedChallenge, { $0.text += ",m=x" }),
            ("subject", .malformedChallenge, { $0.text += ",f=q" }),
            ("no salt", .malformedChallenge, { $0.text = $0.text.replacing(",s=", with: ",x=") }),
            ("salt", .malformedChallenge, { $0.text = $0.text.replacing(",s=", with: ",s=!") }),
            (
                "order", .malformedChallenge,
                { $0.text = $0.text.split(separator: ",").reversed().joined(separator: ",") }
            ),
            ("foreign nonce", .malformedChallenge, { $0.text = "r=AAAA" + $0.text.dropFirst(2) }),
            (
                "equal nonce", .malformedChallenge,
                { $0.text = "r=" + $0.text.dropFirst(2).prefix(24) + $0.text.drop { $0 != "," } }
            ),
            (
                "shorter nonce", .malformedChallenge,
                { $0.text = "r=" + $0.text.dropFirst(2).prefix(23) + $0.text.drop { $0 != "," } }
            ),
            ("not UTF-8", .malformedChallenge, { $0.message?.append(0xFF) }),
            ("long", .malformedChallenge, { $0.text += ",x=" + String(repeating: "x", count: 9000) }),
            ("no data", .malformedChallenge, { $0.message = nil }),
            ("no header", .malformedChallenge, { $0.field = nil }),
            ("no sid", .malformedChallenge, { $0.sid = nil }),
            ("empty sid", .malformedChallenge, { $0.sid = "" }),
            ("other mechanism", .malformedChallenge, { $0.scheme = "SCRAM-SHA-512" }),
            ("weaker mechanism", .malformedChallenge, { $0.scheme = "SCRAM-SHA-1" }),
            ("Basic", .malformedChallenge, { $0.header = "Basic realm=\"school\"" }),
            (
                "two challenges", .malformedChallenge,
                { $0.headers = [("WWW-Authenticate", "SCRAM-SHA-256 sid=\"b\", data=\"cj0=\"")] }
            ),
            ("sid twice", .malformedChallenge, { $0.header = "SCRAM-SHA-256 sid=a, sid=b, data=\"cj0=\"" }),
            ("not Base64", .malformedChallenge, { $0.header = "SCRAM-SHA-256 sid=a, data=\"c\"" }),
            ("error", .serverError, { $0.text = "e=other-error" }),
            ("unknown user", .serverError, { $0.text = "e=unknown-user" }),
        ]
        for (name, expected, change) in changes {
            let server = try SCRAMScript()
            server.changeFirst(change)
            let error = try await logIn(server)
            XCTAssertEqual(error, expected, name)
            XCTAssertEqual(server.count("last"), 0, name)
        }
    }

    func testStatusesThatSayNothingAboutThePassword() async throws {
        let answers: [(HTTPResponse.Status, ClientError)] = [
            (.tooManyRequests, .tooManyAttempts), (.serviceUnavailable, .unexpectedStatus),
            (.internalServerError, .unexpectedStatus), (.forbidden, .unexpectedStatus),
            (.notFound, .unexpectedStatus), (.badRequest, .unexpectedStatus),
        ]
        for (status, expected) in answers {
            for isLast in [false, true] {
                let server = try SCRAMScript()
                let change: SCRAMScript.Change = { $0.status = status }
                if isLast { server.changeLast(change) } else { server.changeFirst(change) }
                let error = try await logIn(server)
                XCTAssertEqual(error, expected, "\(status)")
            }
        }
    }

    func testRedirectsAreNotFollowed() async throws {
        for isLast in [false, true] {
            let server = try SCRAMScript()
            let change: SCRAMScript.Change = { reply in
                reply.status = .temporaryRedirect
                reply.headers = [("Location", "/elsewhere")]
            }
            if isLast { server.changeLast(change) } else { server.changeFirst(change) }
            let error = try await logIn(server)
            XCTAssertEqual(error, .redirectRefused)
            XCTAssertEqual(server.count("/elsewhere"), 0)
        }
    }

    func testAnswersToAProof() async throws {
        let answers: [(String, ClientError, SCRAMScript.Change)] = [
            ("no reason", .invalidCredentials, { $0.message = nil }),
            ("no header", .serverError, { $0.field = nil }),
            ("a list", .invalidCredentials, { $0.header = "SCRAM-SHA-256 realm=\"a\", Basic realm=\"b\"" }),
            ("proof", .invalidCredentials, { $0.text = "e=invalid-proof" }),
            ("unknown", .invalidCredentials, { $0.text = "e=unknown-user" }),
            ("other", .serverError, { $0.text = "e=other-error" }),
            ("stale", .serverError, { $0.header = "SCRAM-SHA-256 realm=\"a\", stale=\"True\"" }),
            ("not stale", .invalidCredentials, { $0.header = "SCRAM-SHA-256 realm=\"a\", stale=false" }),
            ("made up", .serverError, { $0.text = "e=\u{1B}[2J" }),
            ("binding", .channelBindingFailed, { $0.text = "e=channel-bindings-dont-match" }),
            ("list", .channelBindingFailed, { $0.text = "e=server-does-support-channel-binding" }),
            ("challenge", .malformedResponse, { $0.text = "r=abc,s=AAAA,i=4096" }),
            ("malformed", .malformedChallenge, { $0.header = "SCRAM-SHA-256 sid=\"" }),
        ]
        for (name, expected, change) in answers {
            let server = try SCRAMScript()
            server.changeLast { reply in
                reply = .init(status: .unauthorized, field: "WWW-Authenticate")
                change(&reply)
            }
            let error = try await logIn(server)
            XCTAssertEqual(error, expected, name)
            // However often the server asks, there is one proof.
            XCTAssertEqual(server.count("last"), 1, name)
            XCTAssertEqual(server.count("first"), 1, name)
        }
    }
}
