// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// A new verifier in place of one of a password-equivalent: only where it is allowed, and never at the cost of the login.
final class SCRAMVerifierReplacementTests: SessionTestCase {
    private static let equivalent = "97070e99c2efa11e14a1b6f5407b4209"
    private static let replacing = LoginProfile.scram(keyPhrase: "itheima", replacesLayeredVerifier: true)

    /// Logs in at a server that wants another verifier, and returns how many it got.
    private func logIn(
        _ url: String,
        _ profile: LoginProfile = replacing,
        ticket: String? = "ticket",
        answering answer: ScriptedTransport.Answer = .json("{}"),
        line: UInt = #line
    ) async throws -> Int {
        let server = try SCRAMScript(password: Self.equivalent)
        server.changeLast { $0.ticket = ticket }
        let transport = ScriptedTransport { request in
            request.head.path == "/scram-verifier" ? answer : server.answer(request)
        }
        let session = try session(url, profile: profile, transport: transport) {
            $0.name = "\(UUID())"
            $0.allowsInsecureHTTP = true
        }
        try await session.logIn(username: "alice", password: "zhang")
        XCTAssertEqual(session.account, "alice", line: line)
        // Cookies of that answer are not those of the login.
        XCTAssertEqual(session.cookies.map(\.value), ["cookie-secret-1"], line: line)
        return transport.requests.count { $0.head.path == "/scram-verifier" }
    }

    func testItIsSentOverTLSAndToThisComputerOnly() async throws {
        let cases = ["https://school.example": 1, "http://127.0.0.1:1": 1, "http://school.example": 0]
        for (url, expected) in cases {
            let count = try await logIn(url)
            XCTAssertEqual(count, expected, url)
        }
    }

    func testItIsSentOnlyIfBothSidesWantIt() async throws {
        var count = try await logIn("https://school.example", .scram(keyPhrase: "itheima"))
        XCTAssertEqual(count, 0)
        count = try await logIn("https://school.example", ticket: nil)
        XCTAssertEqual(count, 0)
    }

    func testItsFailureIsNotThatOfTheLogin() async throws {
        let answers: [ScriptedTransport.Answer] = [
            .json("{}", status: .unauthorized), .json("{}", status: .serviceUnavailable),
            .redirect(to: "https://evil.example/"), .failure(.noResponse), .failure(.untrustedServer),
            .json("{}").addingHeader("Set-Cookie", "sid=other"),
        ]
        for answer in answers {
            let count = try await logIn("https://school.example", answering: answer)
            XCTAssertEqual(count, 1)
        }
    }

    /// The client accepts fewer iterations than recommended: its own verifier must not lock it out.
    func testItIsOneWithWhichThisClientLogsIn() async throws {
        let server = try SCRAMScript(password: Self.equivalent)
        server.changeLast { $0.ticket = "ticket" }
        let transport = ScriptedTransport { request in
            request.head.path == "/scram-verifier" ? .json("{}") : server.answer(request)
        }
        let profile = LoginProfile.scram(
            keyPhrase: "itheima",
            preparation: .postgreSQL,
            maximumIterations: 5000,
            replacesLayeredVerifier: true
        )
        let session = try session("https://school.example", profile: profile, transport: transport)
        try await session.logIn(username: "alice", password: "zhang")
        let sent = try XCTUnwrap(transport.requests.last { $0.head.path == "/scram-verifier" })
        let form = String(decoding: sent.body, as: UTF8.self)
        XCTAssertTrue(form.contains("verifier=SCRAM-SHA-256%245000%3A"), form)
    }
}
