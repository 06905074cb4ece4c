// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation
import HTTPTypes
import CredKitTesting
import XCTest

@testable import CredKitClient

/// The requests that a login sends.
final class LoginFlowTests: SessionTestCase {
    func testProofOfTheArticleIsPosted() async throws {
        let transport = ScriptedTransport([
            .json(#"{"key": "2016-08-17 10:00"}"#),
            .json(#"{"userId": 1}"#).addingHeader("Set-Cookie", "sid=1"),
        ])
        let session = try session(transport: transport)
        try await session.logIn(username: "zhangsan", password: "zhang")
        let requests = transport.requests
        XCTAssertEqual(requests.map(\.head.path), ["/hmackey.php", "/loginhmac.php"])
        XCTAssertEqual(requests.map(\.head.method), [.get, .post])
        XCTAssertEqual(requests[1].text, "username=zhangsan&password=65b603186158699891ad8c45cb5e367e")
        XCTAssertEqual(requests[1].head.headerFields[.contentType], "application/x-www-form-urlencoded")
        for request in requests {
            let all = "\(request.head.headerFields) \(request.head.path ?? "") \(request.text)"
            // The user name of the test vector begins with the password, so remove the user name before searching.
            XCTAssertFalse(all.replacing("zhangsan", with: "").contains("zhang"))
            XCTAssertFalse(all.contains(Data("zhang".utf8).base64EncodedString()))
        }
    }

    func testOpaqueChallengeIsUsedUnchanged() async throws {
        var time = LoginProfile.ChallengeSource()
        time.format = .opaque
        time.field = "data.time"
        let text = "2016-08-17 10:00"
        let transport = ScriptedTransport([
            .json(#"{"data": {"time": "\#(text)"}}"#), .json(#"{"userId": 1}"#),
            .json(#"{"data": {"time": "\#(text)|nonce"}}"#), .json(#"{"userId": 1}"#),
        ])
        let session = try session(
            profile: .timestamped(keyPhrase: "itheima", challenge: time),
            transport: transport
        ) {
            $0.now = { 0 }
        }
        try await session.logIn(username: "a&b=c d+é", password: "zhang")
        try await session.logIn(username: "a", password: "zhang")
        let texts = transport.requests.map(\.text)
        XCTAssertEqual(texts[1], "username=a%26b%3Dc+d%2B%C3%A9&password=65b603186158699891ad8c45cb5e367e")
        XCTAssertNotEqual(texts[3], "username=a&password=65b603186158699891ad8c45cb5e367e")
        let proof = Legacy.TimestampedLogin(keyPhrase: "itheima")
            .proof(for: try SecretBytes("zhang"), challenge: text + "|nonce").hex
        XCTAssertEqual(texts[3], "username=a&password=\(proof)")
    }

    func testMessageThatRepeatsCredentialsIsLeftOut() async throws {
        var login = ScriptedTransport.Answer.json(#"{"userId": 1}"#)
        login = login.addingHeader("Set-Cookie", "sid=session-77").addingHeader("X-Auth-Token", "token-88")
        let token = Data("token-88".utf8).base64EncodedString()
        for (message, shown) in [
            ("try again", ": try again"), ("no session-77", ""), ("no TOKEN-88", ""), ("no \(token)", ""),
        ] {
            let answer = #"{"message": "\#(message)"}"#
            let transport = ScriptedTransport([login, .json(answer, status: .badRequest)])
            let session = try session(profile: .form(), transport: transport)
            try await session.logIn(username: "alice", password: "zhang")
            let error = await failure { _ = try await session.send(.data) }
            XCTAssertEqual(error?.description, "the server answered with status 400\(shown)")
            XCTAssertEqual(error?.serverMessage, shown.isEmpty ? nil : message)
            XCTAssertEqual(error?.statusCode, 400)
        }
    }

    func testValuesOfTheLoginPageAreNotShown() async throws {
        var profile = LoginProfile.form()
        profile.csrfToken = LoginProfile.CSRFToken(
            path: "/login",
            source: .input("t"),
            destination: .field("t")
        )
        let page = ScriptedTransport.Answer.response(
            headers: [.contentType: "text/html"],
            body: HTTPResponseBody(Array(#"<input name="t" value="csrf-value">"#.utf8))
        )
        for (message, shown) in [
            ("try again", ": try again"), ("no csrf-value", ""), ("no session-77", ""), ("no zhang", ""),
        ] {
            let transport = ScriptedTransport([
                page.addingHeader("Set-Cookie", "sid=session-77"),
                .json(#"{"message": "\#(message)"}"#, status: .internalServerError),
            ])
            let session = try session(profile: profile, transport: transport)
            let error = await failure { try await session.logIn(username: "alice", password: "zhang") }
            XCTAssertEqual(error?.description, "the server failed (status 500)\(shown)")
        }
    }

    func testFormsPostThePasswordAndInsecureGetFormPutsItInTheURL() async throws {
        let transport = ScriptedTransport([.json(#"{"userId": 1}"#), .json(#"{"userId": 1}"#)])
        let form = try session(profile: .form(), transport: transport)
        try await form.logIn(username: "alice", password: "a&b c+%é")
        let get = try session(profile: .insecureGetForm(path: "/login.php"), transport: transport)
        try await get.logIn(username: "alice", password: "a&b c+%é")
        let requests = transport.requests
        XCTAssertEqual(requests[0].text, "username=alice&password=a%26b+c%2B%25%C3%A9")
        XCTAssertEqual(requests[0].head.path, "/login.php")
        XCTAssertEqual(requests[1].text, "")
        XCTAssertEqual(requests[1].head.method, .get)
        XCTAssertEqual(requests[1].head.path, "/login.php?username=alice&password=a%26b%20c%2B%25%C3%A9")
        XCTAssertFalse(logs.text.contains("a%26b"))
    }

    func testInvalidChallengeStopsTheLogin() async throws {
        let bad: [(ScriptedTransport.Answer, ClientError)] = [
            (.json(#"{"key": "2016-08-17 10:21"}"#), .clockSkew),
            (.json(#"{"key": "soon"}"#), .malformedChallenge),
            (.json(#"{"key": 20160817}"#), .malformedChallenge), (.json("{}"), .malformedChallenge),
            (.json(""), .malformedChallenge),
            (.json(#"{"key": null}"#), .malformedChallenge),
            (.json("{}", status: .notFound), .unexpectedStatus),
            (.json("{}", status: .serviceUnavailable), .unexpectedStatus),
            (.json("{}", status: .tooManyRequests), .tooManyAttempts),
            (.redirect(to: "/elsewhere"), .malformedChallenge),
            (.redirect(to: "http://localhost:1/hmackey.php"), .redirectRefused),
            (.json(#"{"key": "2016-08-17 10:00, chosen"}"#), .malformedChallenge),
            (.failure(.timedOut), .timedOut),
        ]
        for (answer, expected) in bad {
            let transport = ScriptedTransport([answer, .json(#"{"userId": 1}"#)])
            let session = try session(transport: transport)
            let error = await failure { try await session.logIn(username: "alice", password: "zhang") }
            XCTAssertEqual(error, expected, "\(String(describing: error))")
            XCTAssertFalse(transport.requests.contains { $0.head.method != .get }, "a proof was sent")
            XCTAssertNil(session.account)
        }
    }

    func testChallengeIsNotReachedThroughAnotherOrigin() async throws {
        let challenge = ScriptedTransport.Answer.json(#"{"key": "2016-08-17 10:00"}"#)
        let outside = ScriptedTransport.Answer.redirect(to: "http://localhost:1/hop")
        let back = ScriptedTransport.Answer.redirect(to: "http://127.0.0.1:1/hmackey.php?chosen")
        let inside = ScriptedTransport.Answer.redirect(to: "/other")
        for (answers, count) in [([outside, back, challenge], 1), ([inside, outside, back, challenge], 2)] {
            let transport = ScriptedTransport(answers + [.json(#"{"userId": 1}"#)])
            let session = try session(transport: transport)
            let error = await failure { try await session.logIn(username: "alice", password: "zhang") }
            XCTAssertEqual(error, .redirectRefused)
            XCTAssertTrue("\(error as Any)".contains("http://localhost:1"), "\(error as Any)")
            XCTAssertEqual(transport.requests.count, count, "the other origin was asked")
        }
        // Another origin of the session's own may be on the way.
        let transport = ScriptedTransport([outside, back, challenge, .json(#"{"userId": 1}"#)])
        let session = try session(transport: transport) {
            $0.credentialOrigins = [try! Origin("http://127.0.0.1:1"), try! Origin("http://localhost:1")]
        }
        try await session.logIn(username: "alice", password: "zhang")
        XCTAssertEqual(transport.requests.count, 4)
    }

    func testRedirectedLoginIsNotPostedElsewhere() async throws {
        for location in ["/other.php", "http://localhost:1/login.php", "http://127.0.0.1:2/"] {
            for status in [301, 302, 303, 307, 308] {
                let transport = ScriptedTransport([
                    .json(#"{"key": "2016-08-17 10:00"}"#),
                    .redirect(to: location, status: .init(code: status)),
                ])
                let session = try session(transport: transport)
                let error = await failure { try await session.logIn(username: "alice", password: "zhang") }
                XCTAssertEqual(error, .redirectRefused)
                XCTAssertEqual(transport.requests.count, 2)
            }
        }
    }

    func testLoginRetriesOnceWithANewChallengeIfAllowed() async throws {
        let busy = ScriptedTransport.Answer.json("{}", status: .tooManyRequests).addingHeader(
            "Retry-After",
            "0"
        )
        let key = ScriptedTransport.Answer.json(#"{"key": "2016-08-17 10:00"}"#)
        let waiting = ScriptedTransport([key, busy, key, .json(#"{"userId": 1}"#)])
        try await session(transport: waiting).logIn(username: "alice", password: "zhang")
        XCTAssertEqual(waiting.requests.count, 4)
        for (limit, answers) in [
            (4, [key, busy, key, busy, key]), (2, [key, .json("{}", status: .tooManyRequests)]),
        ] {
            let transport = ScriptedTransport(answers)
            let session = try session(transport: transport)
            let error = await failure { try await session.logIn(username: "alice", password: "zhang") }
            XCTAssertEqual(error, .tooManyAttempts)
            XCTAssertEqual(transport.requests.count, limit)
        }
        let long = ScriptedTransport([
            key, .json("{}", status: .tooManyRequests).addingHeader("Retry-After", "66"),
        ])
        let later = try session(transport: long)
        let error = await failure { try await later.logIn(username: "alice", password: "zhang") }
        XCTAssertEqual(error?.retryAfter, .seconds(66))
        let off = ScriptedTransport([key, busy, key])
        let patient = try session(transport: off) { $0.retriesWithNewChallenge = false }
        let refused = await failure { try await patient.logIn(username: "alice", password: "zhang") }
        XCTAssertEqual(refused, .tooManyAttempts)
        XCTAssertEqual(off.requests.count, 2)
    }

    func testFailedLoginKeepsTheCurrentUser() async throws {
        let session = try await loggedIn()
        server.script("/loginhmac.php") { _ in
            .json(#"{"userId": 0}"#).addingHeader("Set-Cookie", "sid=bad").addingHeader("x-auth-token", "bad")
        }
        let error = await failure { try await session.logIn(username: "bob", password: "no") }
        XCTAssertEqual(error, .invalidCredentials)
        XCTAssertEqual(session.account, "alice")
        XCTAssertEqual(session.cookies.map(\.value), ["cookie-secret-1"])
        let user = try await session.value(of: .data).user
        XCTAssertEqual(user, "alice")
        let kept = try await password(of: "bob")
        XCTAssertNil(kept)
    }
}
