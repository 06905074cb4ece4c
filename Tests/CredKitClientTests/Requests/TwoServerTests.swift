// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// A login at one server, data at another, and a third that must get nothing.
final class TwoServerTests: SessionTestCase {
    private static let login = "http://127.0.0.1:2"
    private static let data = "http://127.0.0.1:3/api"
    private static let third = "http://127.0.0.1:4"

    private struct Seen: Sendable, Equatable {
        let authority: String
        let path: String
        let cookie: String?
        let token: String?
    }

    private let seen = Lock<[Seen]>([])

    /// A transport that notes what reaches which server, in front of the scripted one.
    private struct Noting: HTTPTransport {
        let transport: ScriptedTransport
        let seen: Lock<[Seen]>

        func send(
            _ request: HTTPRequest,
            body: HTTPRequestBody?,
            deadline: ContinuousClock.Instant
        ) async throws -> TransportResponse {
            seen.withLock {
                $0.append(
                    Seen(
                        authority: request.authority ?? "",
                        path: request.path ?? "",
                        cookie: request.headerFields[.cookie],
                        token: request.headerFields[HTTPField.Name("x-auth-token")!]
                    )
                )
            }
            return try await transport.send(request, body: body, deadline: deadline)
        }
    }

    private var profile: LoginProfile {
        var profile = LoginProfile.form()
        profile.server = Self.login
        return profile
    }

    private func twoServers(
        origins: [String] = [login, data],
        _ change: (inout LoginSession.Configuration) -> Void = { _ in }
    ) throws -> LoginSession {
        server.state.withLock { $0.sendsToken = true }
        let origins = Set(try origins.map { try Origin($0) })
        return try session(
            Self.data,
            profile: profile,
            transport: Noting(transport: server.transport, seen: seen)
        ) {
            $0.credentialOrigins = origins
            change(&$0)
        }
    }

    private func loggedInThere() async throws -> LoginSession {
        let session = try twoServers()
        try await session.logIn(username: "alice", password: "zhang")
        return session
    }

    private func authorities(_ path: String) -> [String] {
        seen.withLock { $0.filter { $0.path == path }.map(\.authority) }
    }

    func testLoginAtOneServerServesTheOther() async throws {
        let session = try await loggedInThere()
        XCTAssertEqual(authorities("/login.php"), ["127.0.0.1:2"])
        server.script("/api/data") { _ in .json(#"{"user": "alice"}"#) }
        let value = try await session.value(of: .data)
        XCTAssertEqual(value.user, "alice")
        let request = try XCTUnwrap(seen.withLock { $0.last })
        XCTAssertEqual(request.authority, "127.0.0.1:3")
        XCTAssertEqual(request.token, "token-secret-cookie-secret-1")
        // Both servers are one host here, so that the cookie of one is the other's (RFC 6265: ports do not matter).
        XCTAssertEqual(request.cookie, "sid=cookie-secret-1")
        let password = try await password(of: "alice", at: Self.login)
        XCTAssertEqual(password, "zhang", "the password is stored for the server that gets it")
        try await session.logOut()
        XCTAssertEqual(authorities("/logout.php"), ["127.0.0.1:2"])
    }

    func testExpiryAtTheDataServerIsRenewedOnceAtTheLogin() async throws {
        let session = try await loggedInThere()
        let valid = Lock("cookie-secret-2")
        server.script("/api/data") { request in
            let cookie = request.head.headerFields[.cookie] ?? ""
            return valid.withLock { cookie == "sid=\($0)" }
                ? .json(#"{"user": "alice"}"#) : .json("{}", status: .unauthorized)
        }
        let (answers, errors) = await sendAtOnce(100, session)
        XCTAssertEqual(answers, 100)
        XCTAssertEqual(errors, [])
        XCTAssertEqual(authorities("/login.php"), ["127.0.0.1:2", "127.0.0.1:2"])
    }

    func testThirdServerGetsNothing() async throws {
        let session = try await loggedInThere()
        server.script("/api/data") { _ in .redirect(to: "\(Self.third)/steal") }
        server.script("/steal") { _ in .json(#"{"user": "x"}"#) }
        _ = try await session.value(of: .data)
        // An endpoint may name any server; whether it gets credentials is the session's decision.
        _ = try await session.value(
            of: Endpoint<WhoAmI>.get("/steal").setting(\.server, to: Self.third)
        )
        let thefts = seen.withLock { $0.filter { $0.path == "/steal" } }
        XCTAssertEqual(
            thefts,
            [Seen](
                repeating: Seen(authority: "127.0.0.1:4", path: "/steal", cookie: nil, token: nil),
                count: 2
            )
        )
    }

    func testEndpointNamesAnotherServer() async throws {
        let session = try await loggedInThere()
        server.script("/me") { _ in .json(#"{"user": "alice"}"#) }
        let endpoint = Endpoint<WhoAmI>.get("/me").setting(\.server, to: Self.login)
        _ = try await session.value(of: endpoint)
        let request = try XCTUnwrap(seen.withLock { $0.last })
        XCTAssertEqual(request.authority, "127.0.0.1:2")
        XCTAssertEqual(request.token, "token-secret-cookie-secret-1")
        for invalid in ["", "login.example", "ftp://login.example", "http://a@b/"] {
            let error = await failure { _ = try await session.send(endpoint.setting(\.server, to: invalid)) }
            XCTAssertEqual(error, .invalidURL, invalid)
        }
    }

    // A profile may come from elsewhere: it must not choose alone who gets the password.
    func testServerOfTheProfileMustBeNamed() throws {
        XCTAssertThrowsError(try twoServers(origins: [Self.data])) {
            XCTAssertEqual($0 as? ClientError, .invalidRequest)
            XCTAssertTrue("\($0)".contains("127.0.0.1:2"), "\($0)")
        }
        XCTAssertThrowsError(try twoServers(origins: [Self.login]))
        XCTAssertThrowsError(try session(Self.data, profile: profile)) {
            XCTAssertEqual($0 as? ClientError, .invalidRequest)
        }
        var profile = profile
        profile.server = "http://login.example"
        XCTAssertThrowsError(
            try session(Self.data, profile: profile) {
                $0.credentialOrigins = [try! Origin("http://login.example"), try! Origin(Self.data)]
            }
        ) { XCTAssertEqual($0 as? ClientError, .insecureConnection) }
        profile.server = "login.example"
        XCTAssertThrowsError(try session(Self.data, profile: profile)) {
            XCTAssertEqual($0 as? ClientError, .invalidProfile)
        }
    }

    func testProfileAndOriginsAreSaved() async throws {
        let first = try await loggedInThere()
        try await first.flush()
        XCTAssertEqual(try LoginProfile(json: profile.json()), profile)
        let later = try twoServers()
        let isRestored = try await later.restore()
        XCTAssertTrue(isRestored)
        server.script("/api/data") { _ in .json(#"{"user": "alice"}"#) }
        _ = try await later.value(of: .data)
        XCTAssertEqual(seen.withLock { $0.last?.token }, "token-secret-cookie-secret-1")
    }
}
