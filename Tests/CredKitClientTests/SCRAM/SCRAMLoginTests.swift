// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Logins by SCRAM over a scripted transport, at a server that behaves.
final class SCRAMLoginTests: SessionTestCase {
    private func session(
        _ server: SCRAMScript,
        _ profile: LoginProfile = .scram(),
        _ change: (inout LoginSession.Configuration) -> Void = { _ in }
    ) throws -> LoginSession {
        try session("http://127.0.0.1:1", profile: profile, transport: server.transport, change)
    }

    func testLoginSendsNoPasswordAndKeepsCookiesAndToken() async throws {
        let server = try SCRAMScript()
        let transport = server.transport
        let session = try session(profile: .scram(), transport: transport)
        try await session.logIn(username: "alice", password: "zhang")
        _ = try await session.value(of: .data)
        XCTAssertEqual(transport.requests.map(\.head.path), ["/scram", "/scram", "/data"])
        for request in transport.requests {
            let fields = request.head.headerFields.map(\.value).joined(separator: " ")
            let decoded = fields.split(separator: "\"").compactMap { try? Base64.standard.decode($0) }
                .map { String(decoding: $0, as: UTF8.self) }
            XCTAssertFalse((decoded + [fields, request.text]).contains { $0.contains("zhang") })
        }
        XCTAssertEqual(transport.requests[2].head.headerFields[.cookie], "sid=cookie-secret-1")
        let token = try XCTUnwrap(HTTPField.Name("x-auth-token"))
        XCTAssertEqual(transport.requests[2].head.headerFields[token], "token-secret-1")
        XCTAssertFalse(logs.text.contains("secret"))
    }

    func testRejectedPasswordIsNotTriedAgain() async throws {
        let server = try SCRAMScript()
        let session = try session(server)
        try await session.logIn(username: "alice", password: "zhang")
        XCTAssertFalse(session.scramKeys.isEmpty)
        server.state.withLock { state in
            state.isExpired = true
            if let other = try? SCRAM.Verifier(password: "other", iterations: .fewer(4096)) {
                state.verifier = other
            }
        }
        for _ in 1...2 {
            let error = await failure { _ = try await session.value(of: .data) }
            XCTAssertEqual(error, .invalidCredentials)
        }
        XCTAssertEqual(server.count("last"), 2)
        XCTAssertTrue(session.scramKeys.isEmpty)
    }

    func testRenewalUsesTheKeysOfTheLogin() async throws {
        let server = try SCRAMScript()
        let session = try session(server)
        try await session.logIn(username: "alice", password: "zhang")
        XCTAssertEqual(session.scramKeys.useCount, 0)
        for count in 1...3 {
            server.state.withLock { $0.isExpired = true }
            _ = try await session.value(of: .data)
            XCTAssertEqual(session.scramKeys.useCount, count)
            XCTAssertEqual(server.count("last"), 1 + count)
        }
        // Another salt: the keys are of no use.
        server.state.withLock { state in
            state.isExpired = true
            if let same = try? SCRAM.Verifier(password: "zhang", iterations: .fewer(4096)) {
                state.verifier = same
            }
        }
        _ = try await session.value(of: .data)
        XCTAssertEqual(session.scramKeys.useCount, 3)
    }

    func testKeysAreForgottenWithThePassword() async throws {
        let server = try SCRAMScript()
        let session = try session(server)
        try await session.logIn(username: "alice", password: "zhang")
        XCTAssertFalse(session.scramKeys.isEmpty)
        try await session.logOut()
        XCTAssertTrue(session.scramKeys.isEmpty)
        try await session.logIn(username: "alice", password: "zhang", savesPassword: false)
        XCTAssertTrue(session.scramKeys.isEmpty)
        let other = try self.session(
            "http://127.0.0.1:1",
            profile: .scram(),
            hasKeychain: false,
            transport: server.transport
        )
        try await other.logIn(username: "alice", password: "zhang")
        XCTAssertTrue(other.scramKeys.isEmpty)
    }

    func testKeysOfAnotherPasswordOrUserAreNotUsed() async throws {
        let cache = SCRAMKeyCache()
        let client = try SCRAM.Client(username: "alice")
        let first = try SCRAM.ClientFirst(client.firstMessage)
        let verifier = try SCRAM.Verifier(password: "zhang", iterations: .fewer(4096))
        let challenge = try client.challenge(
            from: SCRAM.Server(clientFirst: first, verifier: verifier).firstMessage
        )
        let (password, other) = (try SecretBytes("zhang"), try SecretBytes("li"))
        cache.keep(try .init(password: password, for: challenge), of: "alice", password)
        XCTAssertNil(cache.keys(of: "bob", password, for: challenge))
        XCTAssertNil(cache.keys(of: "alice", other, for: challenge))
        XCTAssertNotNil(cache.keys(of: "alice", password, for: challenge))
    }

    func testKeyPhraseMakesThePasswordEquivalentUnlessTheServerSaysOtherwise() async throws {
        let equivalent = "97070e99c2efa11e14a1b6f5407b4209"
        let layered = LoginProfile.scram(keyPhrase: "itheima")
        let cases: [(LoginProfile, String, SCRAM.VerifierSubject?, ClientError?)] = [
            (layered, equivalent, nil, nil), (layered, equivalent, .passwordEquivalent, nil),
            (layered, "zhang", .password, nil), (layered, "zhang", nil, .invalidCredentials),
            (.scram(), "zhang", .password, nil), (.scram(), equivalent, .passwordEquivalent, .invalidProfile),
            (.scram(), equivalent, nil, .invalidCredentials),
        ]
        for (profile, password, subject, expected) in cases {
            let server = try SCRAMScript(password: password, subject: subject)
            let session = try session(server, profile) { $0.name = "\(UUID())" }
            let error = await failure { try await session.logIn(username: "alice", password: "zhang") }
            XCTAssertEqual(error, expected, "\(password) \(String(describing: subject))")
        }
    }

    func testOneTimeCodeIsSentToAServerThatHasProvedItself() async throws {
        let server = try SCRAMScript()
        server.state.withLock { $0.code = "654321" }
        let session = try session(server) { $0.oneTimeCode = { _ in try? SecretBytes("654321") } }
        try await session.logIn(username: "alice", password: "zhang")
        XCTAssertEqual(server.state.withLock { $0.codes }, ["", "otp=654321"])
        XCTAssertEqual(server.count("first"), 1)

        let wrong = try self.session(server) { $0.oneTimeCode = { _ in try? SecretBytes("1") } }
        var error = await failure { try await wrong.logIn(username: "alice", password: "zhang") }
        XCTAssertEqual(error, .oneTimeCodeRejected)

        let none = try self.session(server)
        error = await failure { try await none.logIn(username: "alice", password: "zhang") }
        XCTAssertEqual(error, .oneTimeCodeRequired)

        // One that only asks for the code, as a phisher does.
        for status in [HTTPResponse.Status.ok, .unauthorized] {
            let asked = Gate()
            asked.open()
            server.changeLast { reply in
                reply.status = status
                reply.field = nil
            }
            let phished = try self.session(server) {
                $0.oneTimeCode = { _ in
                    await asked.pass()
                    return nil
                }
            }
            error = await failure { try await phished.logIn(username: "alice", password: "zhang") }
            XCTAssertEqual(error, .serverNotAuthenticated)
            XCTAssertEqual(asked.count, 0)
        }
    }

    func testLoginReturnsAtItsDeadlineAndWhenItIsCancelled() async throws {
        let server = try SCRAMScript()
        // Some seconds of work.
        server.changeFirst { $0.text = $0.text.replacing("i=4096", with: "i=10000000") }
        let profile = LoginProfile.scram(hashFunction: .sha256, maximumIterations: 10_000_000)
        let late = try session(server, profile) { $0.timeouts.total = .milliseconds(100) }
        let start = ContinuousClock.now
        let error = await failure { try await late.logIn(username: "alice", password: "zhang") }
        XCTAssertEqual(error, .timedOut)

        let cancelled = try session(server, profile)
        let task = Task { await failure { try await cancelled.logIn(username: "alice", password: "zhang") } }
        await eventually { server.count("first") == 2 }
        task.cancel()
        let result = await task.value
        XCTAssertEqual(result, .cancelled)
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(2))
        XCTAssertEqual(server.count("last"), 0)
    }
}
