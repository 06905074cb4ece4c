// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitClient

/// Logins with a browser at authorization servers that others have written: Authlib and django-oauth-toolkit.
final class OAuthPeerTests: SessionTestCase {
    private struct State: Decodable {
        /// The refresh tokens that are valid.
        let refresh: [String]
        let revoked: Int
    }

    private func state(_ url: String) throws -> State {
        let outcome = try Program.run(["curl", "-sSf", "--noproxy", "*", "\(url)/state"])
        return try JSONDecoder().decode(State.self, from: outcome.output)
    }

    private func session(
        _ url: String,
        scope: String
    ) async throws -> LoginSession {
        try LoginSession(
            server: url,
            profile: try await LoginProfile.oauth(issuer: url, clientID: "desktop", scope: scope),
            keychain: keychain,
            configuration: configuration
        )
    }

    private func start(_ kind: String) throws -> (peer: Peer, url: String) {
        let peer = try Peer("oauth_peers.py", [kind], python: TestScripts.python.path)
        let port = try XCTUnwrap(try peer.started(as: [String: Int].self)["port"])
        return (peer, "http://127.0.0.1:\(port)")
    }

    func testLoginRenewalAndLogout() async throws {
        for kind in ["authlib", "django"] {
            let (peer, url) = try start(kind)
            defer { withExtendedLifetime(peer) {} }
            let user = BrowserUser()
            let session = try await session(url, scope: "students")
            try await session.logInWithBrowser(username: "alice") { url in user.open(url.absoluteString) }
            let page = try await user.page()
            XCTAssertEqual(page.status, 200, kind)
            let name = try await session.value(of: .data).user
            XCTAssertEqual(name, "alice", kind)
            let first = try await password(of: "alice", at: url)
            XCTAssertEqual(try state(url).refresh, [first], kind)
            // The refresh token of the login is accepted, and replaced.
            let again = try await self.session(url, scope: "students")
            try await again.logIn(username: "alice", password: try XCTUnwrap(first))
            let second = try await password(of: "alice", at: url)
            XCTAssertNotEqual(first, second, kind)
            _ = try await again.value(of: .data)
            try await again.logOut()
            XCTAssertEqual(try state(url).refresh, [], kind)
        }
    }

    func testRefusal() async throws {
        let (peer, url) = try start("authlib")
        defer { withExtendedLifetime(peer) {} }
        let user = BrowserUser()
        let session = try await session(url, scope: "teachers")
        let error = await failure {
            try await session.logInWithBrowser(username: "alice") { url in user.open(url.absoluteString) }
        }
        XCTAssertEqual(error, .invalidCredentials)
        XCTAssertEqual(try state(url).refresh, [])
        let saved = try await password(of: "alice", at: url)
        XCTAssertNil(saved)
    }
}
