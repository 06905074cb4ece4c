// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import CredKitKeychain
import Foundation
import HTTPTypes
import CredKitTesting
import XCTest

@testable import CredKitClient

/// The events that observers receive, and the secrets that events and logs must not contain.
final class LoginEventTests: SessionTestCase {
    func testAllObserversReceiveAllEvents() async throws {
        let session = try session()
        let streams = [session.events, session.events]
        try await session.logIn(username: "alice", password: "zhang")
        server.expire()
        _ = await sendAtOnce(50, session)
        server.expire()
        // Wait until all requests are in flight: one that begins after the failure may try again.
        let tries = server.dataTries
        server.script("/loginhmac.php") { [server] _ in
            while server.dataTries < tries + 50 { try? await Task.sleep(for: .milliseconds(1)) }
            return .failure(.noConnection)
        }
        _ = await sendAtOnce(50, session)
        try await session.logOut()
        for stream in streams {
            var events: [LoginEvent] = []
            for await event in stream {
                events.append(event)
                if case .loggedOut = event { break }
            }
            XCTAssertEqual(
                events,
                [
                    .loggedIn(account: "alice"), .renewed(account: "alice"), .loginFailed(.noConnection),
                    .loggedOut(account: "alice"),
                ]
            )
        }
    }

    func testSlowObserverUsesBoundedMemory() async {
        let events = LoginEventBroadcaster()
        let stream = events.stream()
        for _ in 0..<100_000 { events.send(.renewed(account: "a")) }
        var count = 0
        for await _ in stream {
            count += 1
            if count == 256 { break }
        }
        XCTAssertEqual(count, 256)
    }

    /// Every state and value of a session, printed in every way, contains no secret.
    func testNothingPrintsSecrets() async throws {
        server.state.withLock { $0.sendsToken = true }
        let transport = server.transport
        let session = try session(transport: transport) {
            $0.headers = [.authorization: "Bearer header-secret"]
        }
        try await session.logIn(username: "alice", password: "zhang")
        let response = try await session.send(.data)
        server.script("/data/more") { _ in
            .json(#"{"user": "body"}"#).addingHeader("Set-Cookie", "x=cookie-secret-9").addingHeader(
                "x-auth-token",
                "token-secret-9"
            )
        }
        let more = try await session.send(Endpoint<WhoAmI>.get("/data/more", query: ["q": "query-secret"]))
        server.expire()
        _ = await sendAtOnce(10, session)
        server.state.withLock { $0.passwords["alice"] = "changed" }
        server.expire()
        let rejected = await failure { _ = try await session.send(.data) }
        XCTAssertEqual(rejected, .invalidCredentials)
        let wrong = await failure { try await session.logIn(username: "alice", password: "wrong-secret") }
        server.script("/data") { _ in .redirect(to: "http://user:password-secret@127.0.0.1/") }
        let redirected = await failure { _ = try await session.send(.data) }
        XCTAssertEqual(redirected, .redirectRefused)

        var text = ""
        for value: Any in [
            session, session.configuration, session.profile, session.profile.scheme, response, more,
            rejected as Any,
            wrong as Any, redirected as Any, session.cookies, session.state.withLock { $0.token } as Any,
        ] {
            print(value, terminator: "\n", to: &text)
            text += String(reflecting: value)
            dump(value, to: &text)
        }
        try await session.logOut()
        text += logs.text
        XCTAssertTrue(logs.text.contains("trace response"), "trace messages should be captured")
        var secrets = [
            "zhang", "wrong-secret", "cookie-secret", "token-secret", "header-secret", "query-secret",
            "password-secret",
            "itheima", "65b603186158699891ad8c45cb5e367e", "97070e99c2efa11e14a1b6f5407b4209",
        ]
        // The posted proof.
        secrets += server.state.withLock { $0.logins }.compactMap {
            $0.split(separator: "=").last.map(String.init)
        }
        for secret in secrets { XCTAssertFalse(text.contains(secret), secret) }
    }
}
