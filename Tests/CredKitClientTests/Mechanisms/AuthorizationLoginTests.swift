// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitSystem
import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Basic and Bearer: the secret goes with each request.
final class AuthorizationLoginTests: SessionTestCase {
    private let ok = ScriptedTransport.Answer.json(#"{"user": "test"}"#)

    func testExamplesOfTheRFCs() async throws {
        let examples: [(LoginProfile, String, String, String)] = [
            (.basic(), "Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            (.basic(), "test", "123£", "Basic dGVzdDoxMjPCow=="),
            (.bearer(), "test", "mF_9.B5f-4.1JqM", "Bearer mF_9.B5f-4.1JqM"),
        ]
        for (profile, user, password, expected) in examples {
            let transport = ScriptedTransport([ok, ok])
            let session = try session(profile: profile, transport: transport)
            try await session.logIn(username: user, password: password)
            _ = try await session.value(of: .data)
            XCTAssertEqual(transport.requests.map(\.head.path), ["/", "/data"])
            for request in transport.requests {
                XCTAssertEqual(request.head.headerFields[values: .authorization], [expected])
            }
            XCTAssertFalse(logs.text.contains(password))
        }
    }

    func testLoginWithoutCheckSendsNothing() async throws {
        let transport = ScriptedTransport([ok])
        let session = try session(profile: .basic(checkPath: nil), transport: transport)
        try await session.logIn(username: "test", password: "secret")
        XCTAssertEqual(transport.requests.count, 0)
        _ = try await session.value(of: .data)
        XCTAssertEqual(transport.requests.count, 1)
    }

    func testSecretThatEachRequestShowsToBeWrongIsNotCalledRenewed() async throws {
        let refusal = ScriptedTransport.Answer.json("{}", status: .unauthorized)
        for profile in [.basic(checkPath: nil), .bearer(checkPath: nil)] as [LoginProfile] {
            let session = try session(profile: profile, transport: ScriptedTransport([refusal, refusal]))
            try await session.logIn(username: "test", password: "wrong")
            let error = await failure { _ = try await session.value(of: .data) }
            XCTAssertEqual(error, .sessionExpired)
            XCTAssertEqual(
                error?.message,
                "the server refuses the token or password of the session: log in with a valid one"
            )
        }
    }

    func testAnswersToTheCheck() async throws {
        let answers: [(ScriptedTransport.Answer, ClientError?)] = [
            (.json("{}", status: .notFound), nil), (.json("{}", status: .forbidden), nil),
            (.json("{}", status: .unauthorized), .invalidCredentials),
            (.json("{}", status: .tooManyRequests), .tooManyAttempts),
            (.json("{}", status: .serviceUnavailable), .unexpectedStatus),
            (.redirect(to: "/login"), .redirectRefused),
            (.redirect(to: "http://localhost:1/"), .redirectRefused),
            (.failure(.timedOut), .timedOut),
        ]
        for (answer, expected) in answers {
            let transport = ScriptedTransport([answer])
            let session = try session(profile: .basic(), transport: transport)
            let error = await failure { try await session.logIn(username: "test", password: "secret") }
            XCTAssertEqual(error, expected)
            XCTAssertEqual(session.account, expected == nil ? "test" : nil)
            XCTAssertEqual(transport.requests.count, 1)
        }
    }

    func testSecretsThatNoHeaderCanCarry() async throws {
        let bad: [(LoginProfile, String, String)] = [
            (.basic(), "a:b", "x"), (.basic(), "a\u{1}", "x"), (.basic(), "a", "x\r\nHost: b"),
            (.basic(), "a", "\u{7F}"),
            (.bearer(), "a", ""), (.bearer(), "a", "="), (.bearer(), "a", "x y"), (.bearer(), "a", "x\n"),
            (.bearer(), "a", "é"), (.bearer(), "a", "x=y"), (.bearer(), "a", "x\0"),
        ]
        for (profile, user, password) in bad {
            let transport = ScriptedTransport([ok])
            let session = try session(profile: profile, transport: transport)
            let error = await failure { try await session.logIn(username: user, password: password) }
            XCTAssertEqual(error, .invalidRequest, "\(user) \(password)")
            XCTAssertEqual(transport.requests.count, 0)
        }
    }

    func testPasswordIsInNoOtherFileThanTheKeychain() async throws {
        let first = try session(profile: .basic(), transport: ScriptedTransport([ok]))
        try await first.logIn(username: "test", password: "secret")
        try await first.flush()
        let contents = try await LoginSession.open(
            named: first.name,
            in: keychain,
            configuration: configuration
        )
        XCTAssertEqual(contents?.account, "test")
        XCTAssertNil(contents?.state.withLock { $0.token })
        // Twenty requests of a later process fetch it once, before they are sent.
        let transport = ScriptedTransport([ok] + Array(repeating: ok, count: 20))
        let second = try session(profile: .basic(), transport: transport)
        let isRestored = try await second.restore()
        XCTAssertTrue(isRestored)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await second.value(of: .data) } }
            try await group.waitForAll()
        }
        XCTAssertEqual(transport.requests.map(\.head.path), ["/"] + Array(repeating: "/data", count: 20))
        XCTAssertTrue(
            transport.requests.allSatisfy { $0.head.headerFields[.authorization] == "Basic dGVzdDpzZWNyZXQ=" }
        )
        // Without the saved password nothing is sent.
        try await keychain.deleteSessionSecret(service: "http://127.0.0.1:1", account: "test")
        let silent = ScriptedTransport([ok])
        let third = try session(profile: .basic(), transport: silent)
        try await third.restore()
        let error = await failure { _ = try await third.value(of: .data) }
        XCTAssertEqual(error, .reauthenticationRequired)
        XCTAssertEqual(silent.requests.count, 0)
    }

    func testLoginByAnotherMechanismRemovesTheOldSecret() async throws {
        let logins: [(LoginProfile, String)] = [
            (.bearer(checkPath: nil), "bearer"), (.basic(checkPath: nil), "basic"),
        ]
        for (profile, mechanism) in logins {
            let session = try session(profile: profile, transport: ScriptedTransport([ok]))
            try await session.restore()
            try await session.logIn(username: "test", password: "secret")
            let items = try await keychain.items(service: "http://127.0.0.1:1")
            XCTAssertEqual(items.compactMap { $0.key.attributes["mechanism"] }, [mechanism])
        }
        // A logout by another mechanism than that of the login removes it as well.
        let last = try session(profile: .bearer(checkPath: nil), transport: ScriptedTransport([ok]))
        try await last.restore()
        try await last.logOut()
        let items = try await keychain.items(service: "http://127.0.0.1:1")
        XCTAssertEqual(items.count, 0)
    }

    func testOtherOriginsGetNothing() async throws {
        let transport = ScriptedTransport([.redirect(to: "http://localhost:1/elsewhere"), ok])
        let session = try session(profile: .bearer(checkPath: nil), transport: transport)
        try await session.logIn(username: "test", password: "token")
        _ = try await session.value(of: .data)
        XCTAssertEqual(
            transport.requests.map { $0.head.headerFields[.authorization] },
            ["Bearer token", nil]
        )
    }

    func testResponsesDoNotSetTheToken() async throws {
        let transport = ScriptedTransport([ok.addingHeader("Authorization", "Bearer chosen"), ok])
        let session = try session(profile: .bearer(checkPath: nil), transport: transport)
        try await session.logIn(username: "test", password: "token")
        _ = try await session.value(of: .data)
        _ = try await session.value(of: .data)
        XCTAssertEqual(transport.requests.last?.head.headerFields[.authorization], "Bearer token")
    }

    func testRejectedTokenIsTriedOnce() async throws {
        let no = ScriptedTransport.Answer.json("{}", status: .unauthorized)
        let transport = ScriptedTransport([ok, no, no, no, no])
        let session = try session(profile: .bearer(), transport: transport)
        try await session.logIn(username: "test", password: "token")
        for count in [3, 4] {
            let error = await failure { _ = try await session.value(of: .data) }
            XCTAssertEqual(error, .invalidCredentials)
            XCTAssertLessThanOrEqual(transport.requests.filter { $0.head.path == "/" }.count, 2, "\(count)")
        }
    }

    func testUnencryptedHTTPIsRefusedWhateverIsAllowed() throws {
        for profile in [LoginProfile.basic(), .bearer()] {
            XCTAssertThrowsError(
                try session("http://school.example", profile: profile) { $0.allowsInsecureHTTP = true }
            ) { XCTAssertEqual($0 as? ClientError, .insecureConnection) }
        }
    }

    func testProfilesInJSON() throws {
        for (text, profile) in [
            (#"{"scheme": "basic"}"#, LoginProfile.basic(checkPath: nil)),
            (#"{"scheme": "bearer", "checkPath": "/me"}"#, .bearer(checkPath: "/me")),
        ] {
            XCTAssertEqual(try LoginProfile(json: text.utf8), profile)
            XCTAssertEqual(try LoginProfile(json: profile.json()), profile)
        }
        var profile = LoginProfile.basic()
        profile.server = "https://login.school.example"
        profile.logoutPath = "/logout"
        profile.expiry.codes = [401]
        XCTAssertEqual(try LoginProfile(json: profile.json()), profile)
        for bad in [
            #"{"scheme": "basic", "loginPath": "/x"}"#, #"{"scheme": "basic", "checkPath": "x"}"#,
            #"{"scheme": "basic", "checkPath": "//x"}"#, #"{"scheme": "basic", "checkPath": 7}"#,
            #"{"scheme": "Basic"}"#, #"{"scheme": "basic", "expired": {"status": 401}}"#,
            #"{"scheme": "basic", "scheme2": "form"}"#, #"{"scheme": "basic", "server": "ftp://x"}"#,
        ] {
            XCTAssertThrowsError(try LoginProfile(json: bad.utf8), bad) { error in
                XCTAssertEqual(error as? ClientError, .invalidProfile)
            }
        }
    }
}
