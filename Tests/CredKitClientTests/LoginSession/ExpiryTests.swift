// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import HTTPTypes
import CredKitTesting
import XCTest

@testable import CredKitClient

/// The responses that mean that a login has expired.
final class ExpiryTests: SessionTestCase {
    private func profile(_ change: (inout LoginProfile.ExpiryRule) -> Void) -> LoginProfile {
        var profile = LoginProfile.timestamped(keyPhrase: "itheima")
        change(&profile.expiry)
        return profile
    }

    /// Returns the number of logins after a request that receives this response until the next login.
    private func logins(
        _ profile: LoginProfile,
        _ expired: ScriptedTransport.Answer
    ) async throws -> (logins: Int, error: ClientError?) {
        let session = try session(profile: profile) { $0.envelope = .none }
        try await session.logIn(username: "alice", password: "zhang")
        let before = server.loginCount
        server.script("/data") { [server] _ in server.loginCount == before ? expired : nil }
        let error = await failure { _ = try await session.send(.data) }
        return (server.loginCount - before, error)
    }

    func testRedirectToTheLoginPageMeansExpiry() async throws {
        let profile = profile { $0.loginPages = ["/login.html"] }
        for location in ["/login.html", "http://127.0.0.1:1/login.html?next=/data", "login.html"] {
            let (count, error) = try await logins(profile, .redirect(to: location))
            XCTAssertEqual(count, 1, location)
            XCTAssertNil(error)
        }
        let (count, _) = try await logins(profile, .redirect(to: "/data/elsewhere"))
        XCTAssertEqual(count, 0, "a redirect to another page should not renew the login")
        let (foreign, error) = try await logins(profile, .redirect(to: "http://127.0.0.1:2/login.html"))
        XCTAssertEqual(foreign, 0, "a login page of another origin should not renew the login")
        _ = error
    }

    func testConfiguredEnvelopeCodeMeansExpiry() async throws {
        var profile = profile { $0.codes = [40_101] }
        profile.expiry.statuses = []
        let session = try session(profile: profile) { $0.envelope = .codeData }
        try await session.logIn(username: "alice", password: "zhang")
        server.script("/data") { [server] _ in
            server.loginCount == 1
                ? .json(#"{"code": 40101, "msg": "log in", "data": null}"#)
                : .json(#"{"code": 0, "msg": "", "data": {"user": "alice"}}"#)
        }
        let user = try await session.value(of: .data).user
        XCTAssertEqual(user, "alice")
        XCTAssertEqual(server.loginCount, 2)
    }

    func testServerErrorDoesNotMeanExpiry() async throws {
        for status in [500, 502, 503, 429, 403, 404] {
            let (count, error) = try await logins(
                .timestamped(keyPhrase: "itheima"),
                .json("{}", status: .init(code: status))
            )
            XCTAssertEqual(count, 0)
            XCTAssertEqual(error?.statusCode, status)
        }
        let (count, error) = try await logins(
            profile { $0.statuses = [403] },
            .json("{}", status: .forbidden)
        )
        XCTAssertEqual(count, 1)
        XCTAssertNil(error)
    }

    func testResponsesOfOtherOriginsDoNotMeanExpiry() async throws {
        let session = try await loggedIn()
        let answer = try await session.send(
            HTTPRequest(method: .get, scheme: "http", authority: "localhost:1", path: "/data")
        )
        XCTAssertEqual(answer.head.status, .unauthorized)
        XCTAssertEqual(server.loginCount, 1)
    }
}
