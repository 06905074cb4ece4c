// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Servers that have no time for a login, and say so.
final class UnavailableServerTests: SessionTestCase {
    private func busy(_ message: String) -> ScriptedTransport.Answer {
        .json(#"{"message": "\#(message)"}"#, status: .serviceUnavailable)
    }

    private func logIn(_ profile: LoginProfile, _ message: String) async throws -> ClientError? {
        let transport = ScriptedTransport([busy(message)])
        let session = try session(profile: profile, transport: transport)
        return await failure { try await session.logIn(username: "alice", password: "zhang1234") }
    }

    func testMessageOfTheServerIsKept() async throws {
        var page = LoginProfile.form(path: "/login")
        page.csrfToken = LoginProfile.CSRFToken(
            path: "/login",
            source: .input("csrf"),
            destination: .field("csrf")
        )
        for profile in [page, .form(), .basic(), .bearer(), .scram(), OAuthTokenTests.profile] {
            let error = try await logIn(profile, "busy, try again in 5 s")
            XCTAssertEqual(error, .unexpectedStatus)
            XCTAssertEqual(
                error?.description,
                "the server failed (status 503): busy, try again in 5 s"
            )
        }
        let transport = ScriptedTransport([busy("busy")])
        let error = await failure {
            _ = try await LoginOffers.ask(
                "https://school.example",
                configuration: LoginSession.Configuration(),
                transport: transport
            )
        }
        XCTAssertEqual(error?.serverMessage, "busy")
    }

    func testMessageThatRepeatsTheSecretIsLeftOut() async throws {
        for profile in [.form(), .basic(), .bearer(), OAuthTokenTests.profile] as [LoginProfile] {
            for message in ["busy with zhang1234", "busy with YWxpY2U6emhhbmcxMjM0"] {
                let error = try await logIn(profile, message)
                XCTAssertEqual(error?.description, "the server failed (status 503)")
            }
        }
    }

    func testMessageAfterTheProofIsKept() async throws {
        let server = try SCRAMScript()
        server.changeLast { reply in
            reply.status = .serviceUnavailable
            reply.body = #"{"message": "no, at 5 s"}"#
        }
        let session = try session(profile: .scram(), transport: server.transport)
        let error = await failure { try await session.logIn(username: "alice", password: "zhang") }
        XCTAssertEqual(error?.description, "the server failed (status 503): no, at 5 s")
    }
}
