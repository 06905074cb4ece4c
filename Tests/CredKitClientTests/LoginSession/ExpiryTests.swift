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

    func testURLChosenByAnotherOriginGetsNoTokenAndStartsNoLogin() async throws {
        server.state.withLock { $0.sendsToken = true }
        let session = try await loggedIn()
        let seen = Lock<HTTPFields>([:])
        server.script("/bounce") { _ in .redirect(to: "http://127.0.0.1:1/data/target") }
        server.script("/data/target") { request in
            seen.withLock { $0 = request.head.headerFields }
            return .json("{}", status: .unauthorized)
        }
        let answer = try await session.send(
            HTTPRequest(method: .get, scheme: "http", authority: "localhost:1", path: "/bounce")
        )
        XCTAssertEqual(answer.head.status, .unauthorized)
        XCTAssertNil(seen.withLock { $0[HTTPField.Name("x-auth-token")!] })
        XCTAssertEqual(server.loginCount, 1)
    }

    func testTokenIsSentWithRequestsAndNowhereElse() async throws {
        server.state.withLock { $0.sendsToken = true }
        let transport = server.transport
        let session = try session(transport: transport) {
            $0.headers = [.init("x-device")!: "tablet"]
            $0.headers.append(.init(name: .init("x-lang")!, value: "de"))
            $0.headers.append(.init(name: .init("x-lang")!, value: "en"))
        }
        try await session.logIn(username: "alice", password: "zhang")
        transport.clearRequests()
        server.script("/data") { _ in .redirect(to: "http://localhost:1/data/elsewhere") }
        _ = await failure { _ = try await session.send(.data) }
        let fields = transport.requests.map(\.head.headerFields)
        XCTAssertEqual(fields.count, 2)
        XCTAssertEqual(fields[0][.init("x-auth-token")!], "token-secret-cookie-secret-1")
        XCTAssertEqual(fields[0][.cookie], "sid=cookie-secret-1")
        XCTAssertEqual(fields[0][.init("x-device")!], "tablet")
        XCTAssertEqual(fields[0][values: .init("x-lang")!], ["de", "en"])
        XCTAssertEqual(fields[1].map(\.name.canonicalName), ["user-agent"])
    }
}
