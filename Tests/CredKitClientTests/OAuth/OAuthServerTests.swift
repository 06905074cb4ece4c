// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitSystem
import Foundation
import XCTest

@testable import CredKitClient

/// OAuth at a server that is not part of CredKit, over real sockets.
final class OAuthServerTests: SessionTestCase {
    private static let profile = LoginProfile.oauth(
        clientID: "desktop",
        scope: "students",
        tokenPath: "/token",
        deviceAuthorizationPath: "/device_authorization",
        revocationPath: "/revoke"
    )

    private func session(
        at server: OAuthServer,
        _ profile: LoginProfile = OAuthServerTests.profile
    ) throws -> LoginSession {
        try LoginSession(
            server: server.url,
            profile: profile,
            keychain: keychain,
            configuration: configuration
        )
    }

    private func loggedIn(at server: OAuthServer) async throws -> LoginSession {
        let session = try session(at: server)
        try await session.logIn(username: "alice", password: try server.grant("alice"))
        return session
    }

    func testExpiredRequestsShareOneRefresh() async throws {
        let server = try OAuthServer()
        let session = try await loggedIn(at: server)
        let user = try await session.value(of: .data).user
        XCTAssertEqual(user, "alice")
        try server.expire()
        let (answers, errors) = await sendAtOnce(500, session)
        XCTAssertEqual(answers, 500)
        XCTAssertEqual(errors, [])
        let state = try server.state
        XCTAssertEqual(state.refreshes, 2, "one login, and one renewal")
        XCTAssertEqual(state.reused, 0)
        let saved = try await password(of: "alice", at: server.url)
        XCTAssertEqual(state.valid, [saved])
    }

    /// Sessions with the same files and the same keychain, as several programs have them.
    func testProgramsOfAnAccountShareARefreshToken() async throws {
        let server = try OAuthServer()
        let first = try await loggedIn(at: server)
        try await first.flush()
        let others = try (0..<15).map { _ in try session(at: server) }
        for other in others { try await other.restore() }
        for round in 1...5 {
            try server.expire()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for session in ([first] + others).flatMap({ Array(repeating: $0, count: 4) }) {
                    group.addTask { _ = try await session.value(of: .data) }
                }
                try await group.waitForAll()
            }
            let state = try server.state
            XCTAssertEqual(state.refreshes, 1 + round)
            XCTAssertEqual(state.reused, 0)
        }
    }

    /// The answer is on its way while requests are cancelled and their sessions end.
    func testAnswerThatComesLateIsStored() async throws {
        let server = try OAuthServer()
        let session = try await loggedIn(at: server)
        try server.expire()
        try server.hold(true)
        let requests = (0..<8).map { _ in Task { _ = try? await session.value(of: .data) } }
        await eventually { (try? server.state.held) == 1 }
        for request in requests { request.cancel() }
        for request in requests { await request.value }
        try server.hold(false)
        try await session.flush()
        let saved = try await password(of: "alice", at: server.url)
        XCTAssertEqual(try server.state.valid, [saved])
    }

    func testLoginWithAnotherDeviceAndLogout() async throws {
        let server = try OAuthServer()
        let (url, session) = (server.url, try session(at: server))
        try await session.logInWithDevice(username: "alice") { authorization in
            XCTAssertEqual(authorization.verificationURI, "\(url)/device")
            try? server.approve(authorization.userCode, user: "bob")
        }
        let user = try await session.value(of: .data).user
        XCTAssertEqual(user, "bob")
        try server.expire()
        _ = try await session.value(of: .data)
        let refresh = try await password(of: "alice", at: server.url)
        XCTAssertEqual(try server.state.valid, [refresh])
        try await session.logOut()
        let state = try server.state
        XCTAssertEqual(state.revoked, [refresh])
        XCTAssertEqual(state.valid, [])
        let items = try await keychain.allAccounts()
        XCTAssertEqual(items, [])
    }

    func testRefusedLoginWithAnotherDevice() async throws {
        let server = try OAuthServer()
        let session = try session(at: server)
        let error = await failure {
            try await session.logInWithDevice(username: "alice") { authorization in
                try? server.deny(authorization.userCode)
            }
        }
        XCTAssertEqual(error, ClientError.invalidCredentials)
        XCTAssertEqual(try server.state.codes, [])
    }

    func testConfidentialClient() async throws {
        let server = try OAuthServer()
        for (secret, expected) in [("s3cret", nil), ("wrong", .serverError)] as [(String, ClientError?)] {
            let profile = LoginProfile.oauth(clientID: "service", clientSecret: secret, tokenPath: "/token")
            let session = try session(at: server, profile)
            let token = try server.grant("alice")
            let error = await failure { try await session.logIn(username: "alice", password: token) }
            XCTAssertEqual(error, expected)
        }
    }

    func testRefreshTokenThatWasUsedElsewhereEndsTheLogin() async throws {
        let server = try OAuthServer()
        let session = try await loggedIn(at: server)
        let stolen = try await password(of: "alice", at: server.url)
        let thief = try self.session(at: server)
        try await thief.logIn(username: "mallory", password: try XCTUnwrap(stolen), savesPassword: false)
        try server.expire()
        for _ in 0..<2 {
            let error = await failure { _ = try await session.value(of: .data) }
            XCTAssertEqual(error, .invalidCredentials)
        }
        let state = try server.state
        XCTAssertEqual(state.reused, 1)
        XCTAssertEqual(state.valid, [])
    }

    /// Tokens are in the places that need them, and in no other.
    func testTokensAreNowhereElse() async throws {
        let server = try OAuthServer()
        let session = try await loggedIn(at: server)
        _ = try await session.value(of: .data)
        try server.expire()
        _ = try await session.value(of: .data)
        try await session.flush()
        let held = session.state.withLock { $0.token }
        let access = try XCTUnwrap(held?.text)
        let refresh = try await password(of: "alice", at: server.url)
        let secrets = [String(access.dropFirst("Bearer ".count)), try XCTUnwrap(refresh)]
        for file in files {
            let text = try Data(contentsOf: URL(fileURLWithPath: folder + "/sessions/" + file))
            for secret in secrets { XCTAssertNil(text.range(of: Data(secret.utf8))) }
        }
        try await session.logOut()
        let state = try server.state
        for request in state.requests {
            for secret in secrets {
                XCTAssertFalse(request.target.contains(secret))
                let inHeaders = request.headers.filter { $0.value.contains(secret) }.map {
                    $0.key.lowercased()
                }
                XCTAssertTrue(
                    inHeaders.isEmpty || (request.method, inHeaders.first) == ("GET", "authorization")
                )
            }
            XCTAssertFalse(request.body.contains(secrets[0]))
            if request.body.contains(secrets[1]) { XCTAssertEqual(request.target, "/revoke") }
        }
        XCTAssertTrue(state.requests.contains { $0.target == "/revoke" && $0.body.contains(secrets[1]) })
        for secret in secrets { XCTAssertFalse(logs.text.contains(secret)) }
    }
}
