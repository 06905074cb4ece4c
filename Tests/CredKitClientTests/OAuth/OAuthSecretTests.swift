// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitSystem
import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// What becomes of refresh tokens when something fails, is cancelled, or happens in several programs at once.
final class OAuthSecretTests: SessionTestCase {
    private static let profile = OAuthTokenTests.profile

    private let ok = ScriptedTransport.Answer.json(#"{"user": "test"}"#)
    private let unauthorized = ScriptedTransport.Answer.json("{}", status: .unauthorized)
    private let store = LockableStore()
    private var locked: Keychain { Keychain(store: store) }

    private func token(_ number: Int, _ more: String = "") -> ScriptedTransport.Answer {
        .json(
            #"{"access_token": "access\#(number)", "token_type": "Bearer", "refresh_token": "refresh\#(number)"\#(more)}"#
        )
    }

    private func loggedIn(_ transport: ScriptedTransport) async throws -> LoginSession {
        let session = try session(profile: Self.profile, keychain: locked, transport: transport)
        try await session.logIn(username: "test", password: "refresh0")
        return session
    }

    private func saved() async throws -> String? {
        try await locked.sessionSecret(service: "http://127.0.0.1:1", account: "test")
    }

    private func save(_ text: String?) async throws {
        guard let text else {
            try await locked.deleteSessionSecret(service: "http://127.0.0.1:1", account: "test")
            return
        }
        try await locked.setSessionSecret(
            text,
            service: "http://127.0.0.1:1",
            account: "test",
            mechanism: Self.profile.mechanism.name
        )
    }

    /// A server has replaced the refresh token, and the rest of its answer cannot be used.
    func testNewRefreshTokenOfAnUnusableAnswerIsKept() async throws {
        for (members, expected) in [
            (#""token_type": "mac""#, .malformedResponse), (#""error": "server_error""#, .serverError),
            (#""error": {}, "token_type": "Bearer", "access_token": "a""#, .serverError),
        ] as [(String, ClientError)] {
            let unusable = ScriptedTransport.Answer.json(#"{"refresh_token": "refresh2", \#(members)}"#)
            let transport = ScriptedTransport([token(1), unauthorized, unusable, unauthorized, token(3), ok])
            let session = try await loggedIn(transport)
            let error = await failure { _ = try await session.value(of: .data) }
            XCTAssertEqual(error, expected)
            let kept = try await saved()
            XCTAssertEqual(kept, "refresh2")
            _ = try await session.value(of: .data)
            XCTAssertTrue(transport.requests[4].text.hasSuffix("refresh_token=refresh2"))
        }
    }

    func testErrorsThatAreNone() async throws {
        for none in [#""""#, "null", "false", "0"] {
            let session = try await loggedIn(ScriptedTransport([token(1, #", "error": \#(none)"#), ok]))
            _ = try await session.value(of: .data)
        }
    }

    /// The same at a login, whose refresh token may be in the keychain already, and that of another login as well.
    func testNewRefreshTokenOfAFailedLoginIsKept() async throws {
        let unusable = ScriptedTransport.Answer.json(#"{"refresh_token": "refresh1", "token_type": "mac"}"#)
        for (old, expected) in [(nil, "refresh1"), ("refresh0", "refresh1"), ("other", "other")] {
            try await save(old)
            let session = try session(
                profile: Self.profile,
                keychain: locked,
                transport: ScriptedTransport([unusable])
            )
            let error = await failure { try await session.logIn(username: "test", password: "refresh0") }
            XCTAssertEqual(error, .malformedResponse)
            XCTAssertNil(session.account)
            let kept = try await saved()
            XCTAssertEqual(kept, expected)
        }
    }

    /// The keychain fails while the new refresh token is stored: this process continues, and stores it later.
    func testNewRefreshTokenSurvivesAKeychainThatFails() async throws {
        let transport = ScriptedTransport([
            token(1), unauthorized, token(2), ok, unauthorized, token(3), ok,
        ])
        let session = try session(profile: Self.profile, keychain: locked, transport: transport)
        try await session.logIn(username: "test", password: "refresh0")
        await store.refuse(true)
        _ = try await session.value(of: .data)
        let error = await failure { try await session.flush() }
        XCTAssertEqual(error, .keychain)
        _ = try await session.value(of: .data)
        XCTAssertTrue(transport.requests[5].text.hasSuffix("refresh_token=refresh2"))
        await store.refuse(false)
        try await session.flush()
        let saved = try await saved()
        XCTAssertEqual(saved, "refresh3")
        XCTAssertFalse(logs.text.contains("refresh2"))
    }

    func testNewRefreshTokenOfALoginSurvivesAKeychainThatFails() async throws {
        let transport = ScriptedTransport([token(1), unauthorized, token(2), ok])
        let session = try session(profile: Self.profile, keychain: locked, transport: transport)
        await store.refuse(true)
        let error = await failure { try await session.logIn(username: "test", password: "refresh0") }
        XCTAssertEqual(error, .keychain)
        XCTAssertEqual(session.account, "test")
        _ = try await session.value(of: .data)
        XCTAssertTrue(transport.requests[2].text.hasSuffix("refresh_token=refresh1"))
        await store.refuse(false)
        try await session.flush()
        let saved = try await saved()
        XCTAssertEqual(saved, "refresh2")
    }

    /// The keychain has another refresh token than the one that was sent: another program has logged in, or out.
    func testRefreshTokenOfAnotherLoginIsNotReplaced() async throws {
        for other in ["other", nil] {
            try await save(nil)
            let (store, url) = (locked, "http://127.0.0.1:1")
            let answers = Lock([token(1), unauthorized, token(2), ok, unauthorized, token(3), ok][...])
            let transport = ScriptedTransport { request in
                if request.text.hasSuffix("=refresh1") {
                    if let other {
                        try? await store.setSessionSecret(other, service: url, account: "test")
                    } else {
                        try? await store.deleteSessionSecret(service: url, account: "test")
                    }
                }
                return answers.withLock { $0.removeFirst() }
            }
            let session = try await loggedIn(transport)
            _ = try await session.value(of: .data)
            let kept = try await saved()
            XCTAssertEqual(kept, other)
            let error = await failure { _ = try await session.value(of: .data) }
            XCTAssertEqual(error, other == nil ? .reauthenticationRequired : nil)
            if other != nil { XCTAssertTrue(transport.requests[5].text.hasSuffix("refresh_token=other")) }
        }
    }

    /// A refresh token that the keychain did not take is of no use after another program has logged in.
    func testHeldRefreshTokenGivesWayToAnotherLogin() async throws {
        let transport = ScriptedTransport([token(1), unauthorized, token(2), ok, unauthorized, token(3), ok])
        let session = try await loggedIn(transport)
        await store.refuse(true)
        _ = try await session.value(of: .data)
        await store.refuse(false)
        try await save("other")
        try await session.flush()
        let kept = try await saved()
        XCTAssertEqual(kept, "other")
        _ = try await session.value(of: .data)
        XCTAssertTrue(transport.requests[5].text.hasSuffix("refresh_token=other"))
    }

    func testLoginThatIsNotSavedIsRenewedFromMemory() async throws {
        for hasKeychain in [true, false] {
            let transport = ScriptedTransport([token(1), unauthorized, token(2), ok, ok])
            let session = try session(
                profile: Self.profile,
                keychain: locked,
                hasKeychain: hasKeychain,
                transport: transport
            )
            try await session.logIn(username: "test", password: "refresh0", savesPassword: false)
            _ = try await session.value(of: .data)
            XCTAssertTrue(transport.requests[2].text.hasSuffix("refresh_token=refresh1"))
            let saved = try await saved()
            XCTAssertNil(saved)
            try await session.logOut()
            XCTAssertTrue(transport.requests[4].text.hasSuffix("token=refresh2"))
        }
    }

    /// Logins use a refresh token as renewals do: one program after the other.
    func testLoginWaitsForARenewalOfAnotherProgram() async throws {
        let activity = ActivityLock.Activity.renewal(service: "http://127.0.0.1:1", account: "test")
        let lock = try await ActivityLock.acquire(activity, timeout: .seconds(1))
        let transport = ScriptedTransport([token(1)])
        let waiting = try session(profile: Self.profile, keychain: locked, transport: transport)
        let login = Task { try await waiting.logIn(username: "test", password: "refresh0") }
        // Another account, whose lock is another one.
        let other = try session(
            profile: Self.profile,
            keychain: locked,
            transport: ScriptedTransport([token(2)])
        )
        try await other.logIn(username: "other", password: "refresh0")
        XCTAssertEqual(transport.requests.count, 0)
        lock.release()
        try await login.value
        XCTAssertEqual(transport.requests.count, 1)
    }

    /// The lock is in the home directory, or else beside the session files; without it a login continues.
    func testLoginsWithoutAPlaceForTheLock() async throws {
        _ = FileManager.default.createFile(atPath: folder + "/file", contents: nil)
        for home in ["state-home", "file"] {
            setenv("XDG_STATE_HOME", folder + "/" + home, 1)
            let transport = ScriptedTransport([token(1), unauthorized, token(2), ok, ok])
            let session = try await loggedIn(transport)
            _ = try await session.value(of: .data)
            try await session.logOut()
            XCTAssertEqual(transport.requests.last?.head.path, "/revoke")
            XCTAssertEqual(files.filter { $0.hasSuffix(".lock") }.count, home == "file" ? 1 : 0)
        }
    }

    /// A program that has not noticed the renewal of another one saves its session.
    func testOldTokenDoesNotReplaceANewOneInTheFile() async throws {
        let first = try await loggedIn(ScriptedTransport([token(1), unauthorized, token(2), ok]))
        let cookie = ok.addingHeader("Set-Cookie", "a=b; max-age=60")
        let second = try session(
            profile: Self.profile,
            keychain: locked,
            transport: ScriptedTransport([cookie])
        )
        try await second.restore()
        _ = try await first.value(of: .data)
        _ = try await second.value(of: .data)
        try await second.flush()
        let transport = ScriptedTransport([ok])
        let third = try session(profile: Self.profile, keychain: locked, transport: transport)
        try await third.restore()
        _ = try await third.value(of: .data)
        XCTAssertEqual(transport.requests[0].head.headerFields[.authorization], "Bearer access2")
        XCTAssertEqual(transport.requests[0].head.headerFields[.cookie], "a=b")
    }

    func testRenewalIsNotCancelledHalfway() async throws {
        let (isAsked, release) = (SharedOutcome<Void, ClientError>(), SharedOutcome<Void, ClientError>())
        let answers = [token(1), unauthorized, token(2), ok]
        let number = Lock(0)
        let transport = ScriptedTransport { _ in
            let index = number.withLock { number in
                defer { number += 1 }
                return number
            }
            if index == 2 {
                isAsked.give(.success(()))
                try? await release.value()
            }
            return index < answers.count ? answers[index] : .json("{}")
        }
        let session = try await loggedIn(transport)
        let request = Task { _ = try? await session.value(of: .data) }
        try await isAsked.value()
        request.cancel()
        let logout = Task { try await session.logOut() }
        await eventually { session.state.withLock { $0.cancelRenewal != nil } }
        release.give(.success(()))
        try await logout.value
        await request.value
        // The new refresh token is the one that the logout revokes.
        let revocation = try XCTUnwrap(transport.requests.last { $0.head.path == "/revoke" })
        XCTAssertEqual(revocation.text, "token_type_hint=refresh_token&client_id=desktop&token=refresh2")
        let saved = try await saved()
        XCTAssertNil(saved)
    }

    func testLogoutRevokes() async throws {
        for savesToken in [true, false] {
            let transport = ScriptedTransport([token(1), .json("")])
            let session = try session(profile: Self.profile, transport: transport)
            try await session.logIn(username: "test", password: "refresh0", savesPassword: savesToken)
            try await session.logOut()
            XCTAssertEqual(transport.requests.count, 2)
            XCTAssertEqual(
                transport.requests.last?.text,
                "token_type_hint=refresh_token&client_id=desktop&token=refresh1"
            )
            XCTAssertEqual(transport.requests.last?.head.path, "/revoke")
            let saved = try await saved()
            XCTAssertNil(saved)
            XCTAssertEqual(files.filter { !$0.hasSuffix(".lock") }, [])
        }
    }

    /// A session with the name of a saved one, which is for another server, another keychain service, or another profile.
    func testLogoutSendsNothingOfAnotherLogin() async throws {
        var elsewhere = Self.profile
        elsewhere.server = "http://127.0.0.1:2"
        for (profile, service, isSent) in [
            (Self.profile, nil, true), (elsewhere, nil, false), (Self.profile, "other", false),
            (.form(), nil, false),
        ] as [(LoginProfile, String?, Bool)] {
            _ = try await loggedIn(ScriptedTransport([token(1)]))
            let transport = ScriptedTransport([.json("")])
            let session = try session(profile: profile, keychain: locked, transport: transport) {
                $0.keychainService = service
                $0.credentialOrigins = [try! Origin("http://127.0.0.1:1"), try! Origin("http://127.0.0.1:2")]
            }
            try await session.logOut()
            XCTAssertEqual(transport.requests.count, isSent ? 1 : 0)
            let saved = try await saved()
            XCTAssertNil(saved)
            XCTAssertEqual(files.filter { !$0.hasSuffix(".lock") }, [])
        }
    }

    /// The user cancels a login with another device after the server has sent the tokens.
    func testTokensOfACancelledLoginAreRevoked() async throws {
        let profile = LoginProfile.oauth(
            clientID: "desktop",
            tokenPath: "/token",
            deviceAuthorizationPath: "/device",
            revocationPath: "/revoke"
        )
        let authorization = ScriptedTransport.Answer.json(
            #"{"device_code": "d", "user_code": "u", "verification_uri": "https://example.com", "expires_in": 9}"#
        )
        let transport = ScriptedTransport([authorization, token(1), .json("")])
        let clock = ManualClock()
        let session = try session(profile: profile, keychain: locked, transport: transport) {
            $0.clock = clock
        }
        let (isReading, release) = (SharedOutcome<Void, ClientError>(), SharedOutcome<Void, ClientError>())
        await store.onRead {
            isReading.give(.success(()))
            try? await release.value()
        }
        let login = Task { await failure { try await session.logInWithDevice(username: "test") { _ in } } }
        await eventually { clock.sleeperCount > 0 }
        clock.advance(by: .seconds(5))
        try await isReading.value()
        login.cancel()
        let error = await login.value
        XCTAssertEqual(error, .cancelled)
        XCTAssertEqual(
            transport.requests.last?.text,
            "token_type_hint=refresh_token&client_id=desktop&token=refresh1"
        )
        // Whatever the login still does, it uses no revoked token.
        release.give(.success(()))
        try await session.flush()
        XCTAssertNil(session.account)
        await store.onRead(nil)
        let saved = try await saved()
        XCTAssertNil(saved)
    }
}
