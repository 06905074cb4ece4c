// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitClient
import CredKitTesting
import HTTPTypes
import XCTest

/// A mechanism that is not part of CredKit: a number that the server gives, then a PIN with it.
private struct PINLogin: LoginMechanism {
    var name: String { "pin" }
    var path = "/pin"

    func logIn(
        _ account: String,
        secret: SecretBytes,
        over exchange: LoginExchange
    ) async throws(ClientError) -> LoginOutcome {
        let number = try await exchange.send(.get, path: "/number", redirects: .followWithinOrigins)
        let pin = secret.withSecretBytes { secret in secret.indices.map { secret[$0] } }
        let answer = try await exchange.send(
            .post,
            path: path,
            headers: [.contentType: "text/plain"],
            body: HTTPRequestBody(Array("\(account) ".utf8) + number.body + pin)
        )
        guard !answer.isRedirect, answer.head.status == .ok else { throw .invalidCredentials }
        return LoginOutcome()
    }
}

final class LoginMechanismTests: SessionTestCase {
    private let number = ScriptedTransport.Answer.json("17")

    func testSessionUsesTheMechanismOfItsProfile() async throws {
        let cookie = ScriptedTransport.Answer.json("{}").addingHeader("Set-Cookie", "sid=1")
        let expired = ScriptedTransport.Answer.json("{}", status: .unauthorized)
        let transport = ScriptedTransport([
            number.addingHeader("Set-Cookie", "n=17"), cookie, expired, number, cookie,
            .json(#"{"user": "alice"}"#),
        ])
        let session = try session(profile: .mechanism(PINLogin()), transport: transport)
        try await session.logIn(username: "alice", password: "1234")
        // An expired login is renewed by the same mechanism.
        let answer = try await session.value(of: .data)
        XCTAssertEqual(answer.user, "alice")
        XCTAssertEqual(
            transport.requests.map(\.head.path),
            ["/number", "/pin", "/data", "/number", "/pin", "/data"]
        )
        XCTAssertEqual(transport.requests[1].text, "alice 171234")
        XCTAssertEqual(transport.requests[1].head.headerFields[.cookie], "n=17")
        XCTAssertEqual(transport.requests[2].head.headerFields[.cookie], "n=17; sid=1")
        XCTAssertFalse(logs.text.contains("1234"))
    }

    func testRejectedSecretIsNotTriedAgain() async throws {
        let no = ScriptedTransport.Answer.json("{}", status: .forbidden)
        let expired = ScriptedTransport.Answer.json("{}", status: .unauthorized)
        let transport = ScriptedTransport([number, .json("{}"), expired, number, no, expired])
        let session = try session(profile: .mechanism(PINLogin()), transport: transport)
        try await session.logIn(username: "alice", password: "1234")
        for _ in 0..<2 {
            let error = await failure { _ = try await session.value(of: .data) }
            XCTAssertEqual(error, .invalidCredentials)
        }
        XCTAssertEqual(transport.requests.filter { $0.head.path == "/pin" }.count, 2)
    }

    func testRequestsOfAMechanismStayAtTheServer() async throws {
        // A path must not change the host, and a redirect to another origin ends the login.
        for path in ["@evil.example/", ".evil.example/", ":80@evil.example", "", "pin"] {
            let transport = ScriptedTransport([number])
            let session = try session(profile: .mechanism(PINLogin(path: path)), transport: transport)
            let error = await failure { try await session.logIn(username: "alice", password: "1234") }
            XCTAssertEqual(error, .invalidURL, path)
            XCTAssertEqual(transport.requests.count, 1)
        }
        let transport = ScriptedTransport([.redirect(to: "http://localhost:1/number"), number])
        let session = try session(profile: .mechanism(PINLogin()), transport: transport)
        let error = await failure { try await session.logIn(username: "alice", password: "1234") }
        XCTAssertEqual(error, .redirectRefused)
        XCTAssertEqual(transport.requests.count, 1)
    }

    func testProfilesAreEqualIfTheirMechanismsAre() {
        XCTAssertEqual(LoginProfile.mechanism(PINLogin()), .mechanism(PINLogin()))
        XCTAssertNotEqual(LoginProfile.mechanism(PINLogin()), .mechanism(PINLogin(path: "/other")))
        XCTAssertNotEqual(LoginProfile.mechanism(PINLogin()), .basic())
        XCTAssertNotEqual(LoginProfile.form(), .insecureGetForm())
        XCTAssertEqual("\(LoginProfile.mechanism(PINLogin()).scheme)", "pin")
    }
}
