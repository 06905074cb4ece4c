// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitSystem
import CredKitTestSupport
import CredKitTesting
import Foundation
import XCTest

@testable import CredKitClient

/// Tokens that are bound to keys, at a server that is not part of CredKit, over real sockets.
final class DPoPServerTests: SessionTestCase {
    private static func profile(_ mode: DPoPMode?) -> LoginProfile {
        .oauth(
            clientID: "desktop",
            tokenPath: "/token",
            deviceAuthorizationPath: "/device",
            revocationPath: "/revoke",
            dpop: mode
        )
    }

    private let notices = Lock<[String]>([])

    private func session(
        at server: DPoPServer,
        _ mode: DPoPMode? = .required,
        keychain: Keychain? = nil,
        ahead: Duration = .zero
    ) throws -> LoginSession {
        var configuration = configuration
        configuration.now = { UnixTime.now + ahead }
        configuration.notice = { [notices] text in notices.withLock { $0.append(text) } }
        configuration.credentialOrigins = [try Origin(server.url), try Origin(server.otherURL)]
        return try LoginSession(
            server: server.url,
            profile: Self.profile(mode),
            keychain: keychain ?? self.keychain,
            configuration: configuration
        )
    }

    private func loggedIn(
        at server: DPoPServer,
        _ mode: DPoPMode? = .required,
        ahead: Duration = .zero
    ) async throws -> LoginSession {
        let session = try session(at: server, mode, ahead: ahead)
        try await session.logIn(username: "alice", password: try server.grant("alice"))
        return session
    }

    /// Returns the purposes of the items in the keychain.
    private func purposes() async throws -> [String] {
        try await keychain.items().compactMap { $0.key.attributes[CredentialKey.purposeName] }.sorted()
    }

    /// A clock that is off by 20 seconds, nonces of both roles that change, kept connections that are closed, redirects
    /// between the origins and out of them, and renewals.
    func testManyRequestsOverTwoOriginsWithRenewals() async throws {
        let server = try DPoPServer(.init(rotate: 64, close: 0.1))
        let session = try await loggedIn(at: server, ahead: .seconds(20))
        let roundCount = TestForm.isDeep ? 10 : 2
        for round in 1...roundCount {
            try server.expire()
            let failures = await withTaskGroup(of: [String].self) { group in
                for task in 0..<8 {
                    group.addTask { [main = server.url, other = server.otherURL] in
                        var failures: [String] = []
                        for number in 0..<13 {
                            let path = ["/data", "/hop", "/data", "/leave"][(task + number) % 4]
                            let endpoint = Endpoint<WhoAmI>.get(path)
                                .setting(\.server, to: number.isMultiple(of: 2) ? main : other)
                                .setting(\.duplicates, to: .allow)
                            do {
                                let user = try await session.value(of: endpoint).user
                                let expected = path == "/leave" ? "guest" : "alice"
                                if user != expected { failures.append("\(path): \(user)") }
                            } catch {
                                failures.append("\(path): \(error)")
                            }
                        }
                        return failures
                    }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
            XCTAssertEqual(failures, [], "\(round)")
        }
        let state = try server.state
        XCTAssertEqual(state.problems, [])
        XCTAssertEqual(state.refreshes, 1 + roundCount, "one login, and a renewal for each round")
        XCTAssertEqual(state.reused, 0)
        XCTAssertEqual(state.strangers, 0)
        XCTAssertEqual(state.jkts.count, 1)
        XCTAssertGreaterThan(state.proofs, 100 * roundCount)
        XCTAssertGreaterThan(state.closed, 0, "nothing was repeated: the test proves nothing")
        XCTAssertGreaterThan(state.challenges, 2)
        XCTAssertEqual(state.foreign.count, 26 * roundCount)
        XCTAssertTrue(state.foreign.allSatisfy { !$0.contains("dpop") && !$0.contains("authorization") })
    }

    /// Sessions with the same files and the same keychain, as several programs have them.
    func testProgramsOfAnAccountShareARefresh() async throws {
        let server = try DPoPServer(.init(rotate: 200))
        let first = try await loggedIn(at: server)
        try await first.flush()
        let others = try (0..<15).map { _ in try session(at: server) }
        for other in others { try await other.restore() }
        for round in 1...5 {
            try server.expire()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for session in [first] + others {
                    group.addTask { _ = try await session.value(of: .data) }
                }
                try await group.waitForAll()
            }
            let state = try server.state
            XCTAssertEqual(state.refreshes, 1 + round)
            XCTAssertEqual(state.reused, 0)
            XCTAssertEqual(state.problems, [])
        }
    }

    /// Returns a copy of the keychain, in which the key of the tokens is another one, or missing.
    private func stolen(key: DPoPKey?) async throws -> Keychain {
        let copy = Keychain(store: InMemoryStore())
        for item in try await keychain.items() {
            let found = try await keychain.credential(for: item.key)
            var credential = try XCTUnwrap(found)
            if item.key.isFor(.dpopKey) {
                guard let key else { continue }
                credential = Credential(item: item, secret: try key.stored())
            }
            try await copy.set(credential)
        }
        return copy
    }

    /// The session file, its key and the refresh token, without the key of the tokens.
    func testTokensWithoutTheirKeyAreOfNoUse() async throws {
        let server = try DPoPServer()
        let session = try await loggedIn(at: server)
        _ = try await session.value(of: .data)
        try await session.flush()
        let proofs = try server.state.proofs
        let without = try self.session(at: server, keychain: try await stolen(key: nil))
        try await without.restore()
        XCTAssertNil(without.state.withLock { $0.token })
        let missing = await failure { _ = try await without.value(of: .data) }
        XCTAssertEqual(missing, .reauthenticationRequired)
        XCTAssertEqual(try server.state.proofs, proofs, "nothing was sent")
        let thief = try self.session(at: server, keychain: try await stolen(key: try DPoPKey()))
        try await thief.restore()
        XCTAssertNil(thief.state.withLock { $0.boundKey }, "the access token is that of another key")
        let refused = await failure { _ = try await thief.value(of: .data) }
        XCTAssertEqual(refused, .invalidCredentials)
        XCTAssertEqual(try server.state.strangers, 1)
        _ = try await session.value(of: .data)
    }

    func testKeysOfLogins() async throws {
        let server = try DPoPServer(.init(rotate: 1000))
        let session = try await loggedIn(at: server)
        let own = ["dpop-key", "session-key", "session-secret"]
        var purposes = try await self.purposes()
        XCTAssertEqual(purposes, own)
        let first = session.state.withLock { $0.boundKey?.thumbprint() }
        XCTAssertEqual(try server.state.jkts, [try XCTUnwrap(first)])
        // Each login has a key of its own, and a failed one leaves the key of the one before.
        let error = await failure { try await session.logIn(username: "alice", password: "none") }
        XCTAssertEqual(error, .invalidCredentials)
        purposes = try await self.purposes()
        XCTAssertEqual(purposes, own)
        try server.expire()
        _ = try await session.value(of: .data)
        try await session.logInWithDevice(username: "alice") { _ in }
        purposes = try await self.purposes()
        XCTAssertEqual(purposes, own)
        let second = session.state.withLock { $0.boundKey?.thumbprint() }
        XCTAssertNotEqual(first, second)
        try server.expire()
        _ = try await session.value(of: .data)
        // The refresh token is not saved, but the access token is, and a later program finds its key.
        try await session.logInWithDevice(username: "alice", savesToken: false) { _ in }
        purposes = try await self.purposes()
        XCTAssertEqual(purposes, ["dpop-key", "session-key"])
        let later = try self.session(at: server)
        try await later.restore()
        _ = try await later.value(of: .data)
        let state = try server.state
        XCTAssertEqual(state.jkts.count, 4)
        XCTAssertEqual(state.problems, [])
        try await session.logOut()
        purposes = try await self.purposes()
        XCTAssertEqual(purposes, [])
    }

    func testTokenThatIsNotBoundIsRevoked() async throws {
        let server = try DPoPServer(.init(type: "Bearer"))
        let session = try session(at: server)
        let token = try server.grant("alice")
        let error = await failure { try await session.logIn(username: "alice", password: token) }
        XCTAssertEqual(error, .mechanismDowngrade)
        XCTAssertNil(session.account)
        let purposes = try await self.purposes()
        XCTAssertEqual(purposes, [])
        XCTAssertEqual(try server.state.revoked, 1)
    }

    /// A refresh token can be bound without the access token (RFC 9449, section 5).
    func testServerWithoutSupportIsAcceptedUntilItHadIt() async throws {
        let server = try DPoPServer(.init(type: "Bearer"))
        let session = try await loggedIn(at: server, .preferred)
        let notice = "the server does not bind the tokens to a key: a stolen one can be used"
        XCTAssertTrue(logs.text.contains(notice), logs.text)
        XCTAssertEqual(notices.withLock { $0 }, [notice])
        try server.expire()
        _ = try await session.value(of: .data)
        try server.set(.init(type: "DPoP"))
        try server.expire()
        _ = try await session.value(of: .data)
        XCTAssertNotNil(session.state.withLock { $0.boundKey })
        try server.set(.init(type: "Bearer"))
        try server.expire()
        let error = await failure { _ = try await session.value(of: .data) }
        XCTAssertEqual(error, .mechanismDowngrade)
        let state = try server.state
        XCTAssertEqual(state.revoked, 1)
        XCTAssertEqual(state.strangers, 0)
    }

    func testProfileThatGoesBackIsRefused() async throws {
        let server = try DPoPServer()
        for (mode, others) in [(.required, [.preferred, nil]), (.preferred, [nil])]
            as [(DPoPMode, [DPoPMode?])]
        {
            let session = try await loggedIn(at: server, mode)
            try await session.flush()
            for other in others {
                let weaker = try self.session(at: server, other)
                let restored = await failure { try await weaker.restore() }
                XCTAssertEqual(restored, .mechanismDowngrade)
                let token = try server.grant("alice")
                let login = await failure { try await weaker.logIn(username: "alice", password: token) }
                XCTAssertEqual(login, .mechanismDowngrade)
            }
            try await session.logOut()
            let purposes = try await self.purposes()
            XCTAssertEqual(purposes, [])
        }
    }

    func testNoncesWithoutEndStop() async throws {
        let server = try DPoPServer()
        let session = try await loggedIn(at: server)
        try server.set(.init(rotate: 1, endless: true))
        let request = await failure { _ = try await session.value(of: .data) }
        XCTAssertEqual(request, .serverError)
        var state = try server.state
        XCTAssertEqual(state.challenges, 2)
        XCTAssertEqual(state.refreshes, 1, "a challenge is not an expired login")
        let token = try server.grant("bob")
        let login = await failure { try await session.logIn(username: "bob", password: token) }
        XCTAssertEqual(login, .serverError)
        state = try server.state
        XCTAssertEqual(state.challenges, 4)
        XCTAssertTrue(state.valid.contains(token), "nothing was used up")
    }

    /// A token of a time when the profile did not require a key.
    func testTokenThatIsNotBoundIsNotUsedWhereAKeyIsRequired() async throws {
        let server = try DPoPServer(.init(type: "Bearer"))
        let session = try await loggedIn(at: server, nil)
        try await session.flush()
        let stricter = try self.session(at: server, .required)
        try await stricter.restore()
        XCTAssertNil(stricter.state.withLock { $0.token })
    }

    func testWrongClockIsNamed() async throws {
        let server = try DPoPServer(.init(skew: 10))
        let session = try session(at: server, ahead: .seconds(20))
        let token = try server.grant("alice")
        let error = await failure { try await session.logIn(username: "alice", password: token) }
        XCTAssertEqual(error, .clockSkew)
        XCTAssertTrue("\(error.map { "\($0)" } ?? "")".contains("behind this computer's"))
        XCTAssertEqual(try server.state.problems.count, 1, "the proof was sent once")
    }
}
