// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTesting
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Logins by JSON, with a value of the login page, and with a token in the answer.
final class LoginFormTests: SessionTestCase {
    private func logIn(
        _ profile: LoginProfile,
        _ answers: [ScriptedTransport.Answer],
        password: String = "s3cret"
    ) async throws -> (session: LoginSession, transport: ScriptedTransport, error: ClientError?) {
        let transport = ScriptedTransport(answers)
        let session = try session(profile: profile, transport: transport)
        let error = await failure { try await session.logIn(username: "al\"ice", password: password) }
        return (session, transport, error)
    }

    private func page(_ text: String) -> ScriptedTransport.Answer {
        .response(headers: [.contentType: "text/html"], body: HTTPResponseBody(Array(text.utf8)))
    }

    func testJSONHasTheFieldsOfTheForm() async throws {
        var profile = LoginProfile.form(path: "/api/login")
        profile.sendsJSON = true
        profile.tokenMember = "data.token"
        profile.tokenHeader = "authorization"
        profile.success = .status(200)
        let password = "a\"b\\c\u{1}\u{1F}é\u{1F511}/"
        let (session, transport, error) = try await logIn(
            profile,
            [.json(#"{"data": {"token": "t0ken"}}"#), .json(#"{"user": "alice"}"#)],
            password: password
        )
        XCTAssertNil(error)
        let sent = try XCTUnwrap(transport.requests.first)
        XCTAssertEqual(sent.head.headerFields[.contentType], "application/json")
        // Foundation reads the same values.
        let members = try JSONDecoder().decode([String: String].self, from: Data(sent.body))
        XCTAssertEqual(members, ["username": "al\"ice", "password": password])
        _ = try await session.value(of: .data)
        XCTAssertEqual(transport.requests.last?.head.headerFields[.authorization], "Bearer t0ken")
        XCTAssertFalse(logs.text.contains("t0ken"))
    }

    func testPasswordThatIsNotUTF8IsNotSentAsJSON() async throws {
        var profile = LoginProfile.form()
        profile.sendsJSON = true
        let transport = ScriptedTransport([])
        let session = try session(profile: profile, transport: transport)
        let error = await failure {
            try await session.logIn(username: "alice", password: SecretBytes([0xFF, 0xFE] as [UInt8]))
        }
        XCTAssertEqual(error, .invalidRequest)
        XCTAssertEqual(transport.requests.count, 0)
    }

    func testAnswersWithoutTheToken() async throws {
        var profile = LoginProfile.form()
        profile.tokenMember = "token"
        profile.success = .status(200)
        for body in ["{}", #"{"token": 1}"#, #"{"token": ""}"#, #"{"token": "a\r\nb"}"#, "[]", ""] {
            let (session, _, error) = try await logIn(profile, [.json(body)])
            XCTAssertEqual(error, .malformedResponse, body)
            XCTAssertNil(session.account)
        }
    }

    func testInputOfThePageIsSentBack() async throws {
        var profile = LoginProfile.form(path: "/in")
        profile.csrfToken = LoginProfile.CSRFToken(
            path: "/page?x=1",
            source: .input("token"),
            destination: .field("csrf")
        )
        let (_, transport, error) = try await logIn(
            profile,
            [
                page("<input name=token value='a&amp;b'>").addingHeader("Set-Cookie", "sid=1"),
                .json(#"{"userId": 7}"#),
            ]
        )
        XCTAssertNil(error)
        XCTAssertEqual(transport.requests.map(\.head.path), ["/page?x=1", "/in"])
        let sent = try XCTUnwrap(transport.requests.last)
        XCTAssertEqual(sent.text, "username=al%22ice&password=s3cret&csrf=a%26b")
        XCTAssertEqual(sent.head.headerFields[.cookie], "sid=1")
        XCTAssertTrue(sent.head.headerFields[.referer]?.hasSuffix("/page") == true)
        XCTAssertEqual(transport.requests[0].body, [])
    }

    func testCookieOfThePageIsSentBackInAHeader() async throws {
        var profile = LoginProfile.form()
        profile.csrfToken = LoginProfile.CSRFToken(
            path: "/",
            source: .cookie("XSRF-TOKEN"),
            destination: .header("x-xsrf-token")
        )
        let (_, transport, error) = try await logIn(
            profile,
            [
                page("").addingHeader("Set-Cookie", "other=2").addingHeader(
                    "Set-Cookie",
                    "XSRF-TOKEN=a%3D%zz=b"
                ),
                .json(#"{"userId": 7}"#),
            ]
        )
        XCTAssertNil(error)
        let name = try XCTUnwrap(HTTPField.Name("x-xsrf-token"))
        XCTAssertEqual(transport.requests.last?.head.headerFields[name], "a=%zz=b")
    }

    func testPagesWithoutTheValueSendNoPassword() async throws {
        var profile = LoginProfile.form()
        profile.csrfToken = LoginProfile.CSRFToken(
            path: "/",
            source: .input("token"),
            destination: .field("token")
        )
        let answers: [(ScriptedTransport.Answer, ClientError)] = [
            (page("<input name=other value=x>"), .malformedResponse),
            (page("<input name=token>"), .malformedResponse),
            (.response(.notFound), .unexpectedStatus), (.response(.serviceUnavailable), .unexpectedStatus),
            (.redirect(to: "https://evil.example/"), .redirectRefused),
        ]
        for (answer, expected) in answers {
            let (_, transport, error) = try await logIn(profile, [answer])
            XCTAssertEqual(error, expected)
            XCTAssertEqual(transport.requests.count, 1)
        }
    }

    func testTokensInOtherHeaders() async throws {
        for (profile, header, value) in [
            (LoginProfile.bearer(header: "PRIVATE-TOKEN"), "private-token", "s3cret"),
            (.bearer(prefix: "token "), "authorization", "token s3cret"),
            (.bearer(header: "x-key", prefix: "Key "), "x-key", "Key s3cret"),
        ] as [(LoginProfile, String, String)] {
            let (session, transport, error) = try await logIn(
                profile,
                [.json("{}"), .json(#"{"user": "alice"}"#)]
            )
            XCTAssertNil(error)
            _ = try await session.value(of: .data)
            let name = try XCTUnwrap(HTTPField.Name(header))
            for request in transport.requests { XCTAssertEqual(request.head.headerFields[name], value) }
            XCTAssertEqual(transport.requests.count, 2)
        }
    }
}
