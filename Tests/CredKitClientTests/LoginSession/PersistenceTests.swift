// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import CredKitKeychain
import Foundation
import HTTPTypes
import CredKitTesting
import XCTest

@testable import CredKitClient

/// Session state that the next process can restore.
final class PersistenceTests: SessionTestCase {
    /// The names of the format. Later versions read it: one that renames a member loses its value, or all sessions.
    func testNamesInTheFileStay() throws {
        let contents = SessionContents(
            server: "s",
            credentialOrigins: [],
            profile: Data(),
            service: "s",
            account: "a",
            loginID: "l",
            cookies: Data(),
            token: "t",
            tokenExpiry: 1_471_428_030,
            renewalCount: 2,
            serverUTCOffsetMinutes: 480,
            savesPassword: true,
            rejectedPassword: Data(),
            allowsInsecureHTTP: false
        )
        let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(contents)) as? [String: Any]
        XCTAssertEqual(
            json?.keys.sorted(),
            [
                "account", "allowsInsecureHTTP", "cookies", "credentialOrigins", "loginID", "profile",
                "rejectedPassword", "renewalCount", "savesPassword", "server", "serverUTCOffsetMinutes",
                "service", "token", "tokenExpiry",
            ]
        )
        XCTAssertEqual(json?["renewalCount"] as? Int, 2)
        XCTAssertEqual(json?["serverUTCOffsetMinutes"] as? Int, 480)
        XCTAssertEqual(json?["tokenExpiry"] as? Int, 1_471_428_030)
    }

    func testLaterProcessContinuesAndRenewsFromTheKeychain() async throws {
        server.state.withLock { $0.sendsToken = true }
        _ = try await loggedIn()
        let later = try session()
        let isRestored = try await later.restore()
        XCTAssertTrue(isRestored)
        let again = try await later.restore()
        XCTAssertTrue(again, "a second restore should succeed without changes")
        XCTAssertEqual(later.account, "alice")
        XCTAssertEqual(later.serverUTCOffset, .minutes(480))
        XCTAssertEqual(later.state.withLock { $0.token?.text }, "token-secret-cookie-secret-1")
        _ = try await later.send(.data)
        XCTAssertEqual(server.loginCount, 1)
        server.expire()
        let user = try await later.value(of: .data).user
        XCTAssertEqual(user, "alice")
        XCTAssertEqual(server.loginCount, 2)
        try await later.flush()
        let third = try session()
        try await third.restore()
        _ = try await third.send(.data)
        XCTAssertEqual(server.loginCount, 2, "the renewed cookies should be saved")
    }

    func testMissingSessionIsNotRestored() async throws {
        let nothing = try await session().restore()
        XCTAssertFalse(nothing)
        let without = try await session(hasKeychain: false).restore()
        XCTAssertFalse(without)
    }

    func testSessionOfAnotherServerIsNotRestored() async throws {
        _ = try await loggedIn { $0.name = "one" }
        let other = try session("http://127.0.0.1:2") { $0.name = "one" }
        let error = await failure { try await other.restore() }
        XCTAssertEqual(error, .storage)
        XCTAssertNil(other.account)
    }

    func testSessionIsRestoredByNameAlone() async throws {
        _ = try await loggedIn {
            $0.name = "mine"
            $0.keychainService = "com.example.school"
        }
        var configuration = LoginSession.Configuration()
        configuration.folder = folder + "/sessions"
        configuration.now = { Self.morning }
        let restored = try await LoginSession.open(
            named: "mine",
            in: keychain,
            configuration: configuration,
            transport: server.transport
        )
        let session = try XCTUnwrap(restored)
        XCTAssertEqual(session.account, "alice")
        server.expire()
        let user = try await session.value(of: .data).user
        XCTAssertEqual(user, "alice", "the password should be found under its saved service")
        let names = try await LoginSession.savedSessionNames(in: keychain)
        XCTAssertEqual(names, ["mine"])
        let stored = try await LoginSession.savedSession(
            named: "mine",
            in: keychain,
            folder: folder + "/sessions"
        )
        XCTAssertEqual(stored?.account, "alice")
        XCTAssertEqual(stored?.savesPassword, true)
        let none = try await LoginSession.open(
            named: "other",
            in: keychain,
            configuration: configuration,
            transport: server.transport
        )
        XCTAssertNil(none)
    }

    func testChangedCookiesAreSaved() async throws {
        let session = try await loggedIn()
        server.script("/data/more") { request in
            .json(#"{"user": "alice"}"#).addingHeader("Set-Cookie", "n\(request.head.path?.count ?? 0)=1")
        }
        for length in 0..<20 {
            let query = String(repeating: "x", count: length)
            _ = try await session.send(Endpoint<WhoAmI>.get("/data/more", query: ["q": "\(query)"]))
        }
        try await session.flush()
        let later = try self.session()
        try await later.restore()
        XCTAssertEqual(Set(later.cookies.map(\.name)), Set(session.cookies.map(\.name)))
        XCTAssertEqual(later.cookies.count, 21)
    }

    func testBackgroundSaveDoesNotUndoLogoutOfAnotherProcess() async throws {
        let first = try await loggedIn()
        let second = try session()
        try await second.restore()
        try await second.logOut()
        XCTAssertEqual(files, [])
        server.script("/data") { _ in .json(#"{"user": "alice"}"#).addingHeader("Set-Cookie", "more=1") }
        _ = try await first.send(.data)
        try await first.flush()
        XCTAssertEqual(files, [])
        let names = try await LoginSession.savedSessionNames(in: keychain)
        XCTAssertEqual(names, [])
    }

    func testBackgroundSaveDoesNotOverwriteLoginOfAnotherProcess() async throws {
        for user in ["bob", "alice"] {
            let first = try await loggedIn()
            let second = try session()
            try await second.logIn(username: user, password: user == "bob" ? "li" : "zhang")
            let cookies = second.cookies.map(\.value)
            server.script("/data/more") { _ in
                .json(#"{"user": "alice"}"#).addingHeader("Set-Cookie", "more=1")
            }
            _ = try await first.send(Endpoint<WhoAmI>.get("/data/more"))
            try await first.flush()
            let third = try session()
            try await third.restore()
            XCTAssertEqual(third.account, user)
            XCTAssertEqual(third.cookies.map(\.value), cookies)
        }
    }

    func testFailedSaveIsRetriedByTheNextWaiter() async throws {
        let session = try await loggedIn()
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder + "/sessions")
        server.script("/data") { _ in .json(#"{"user": "alice"}"#).addingHeader("Set-Cookie", "more=1") }
        _ = try await session.send(.data)
        for _ in 0..<2 {
            let error = await failure { try await session.flush() }
            XCTAssertEqual(error, .insecureFile)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder + "/sessions")
        try await session.flush()
        let later = try self.session()
        try await later.restore()
        XCTAssertEqual(later.cookies.count, 2)
    }

    func testServerClockOffsetIsRememberedByLaterProcesses() async throws {
        _ = try await loggedIn()
        server.state.withLock { $0.challenge = "2016-08-17 11:00" }
        // A later process logs in without restoring a session.
        let later = try session()
        let error = await failure { try await later.logIn(username: "alice", password: "zhang") }
        XCTAssertEqual(error, .serverUTCOffsetChanged)
        XCTAssertEqual(error?.serverUTCOffset, .minutes(540))
        XCTAssertTrue(error?.description.contains("summer time") ?? false)
        later.trustServerUTCOffset(.minutes(540))
        try await later.logIn(username: "alice", password: "zhang")
        XCTAssertEqual(later.serverUTCOffset, .minutes(540))
        // One accepted change does not permit later changes.
        server.state.withLock { $0.challenge = "2016-08-17 10:00" }
        let back = await failure { try await later.logIn(username: "alice", password: "zhang") }
        XCTAssertEqual(back, .serverUTCOffsetChanged)
    }

    func testLoginTakesEffectAlthoughTheKeyringFails() async throws {
        let refusing = Keychain(store: RefusingStore())
        let session = try session(keychain: refusing)
        let error = await failure { try await session.logIn(username: "alice", password: "zhang") }
        XCTAssertEqual(error, .keychain)
        XCTAssertEqual(error?.keychainError, .locked)
        XCTAssertEqual(session.account, "alice", "the login should take effect all the same")
        _ = try await session.send(.data)
        XCTAssertEqual(files, [])
    }

    func testCancelledLoginSavesAllOrNothing() async throws {
        for round in 0..<60 {
            let session = try session()
            let task = Task {
                await failure { try await session.logIn(username: "alice", password: "zhang") }
            }
            try await Task.sleep(for: .microseconds(round * 40))
            task.cancel()
            _ = await task.value
            // Whatever the outcome of the login, a logout leaves nothing behind.
            try await session.logOut()
            let all = try await keychain.allAccounts()
            XCTAssertEqual(all, [], "round \(round)")
            XCTAssertEqual(files, [])
        }
    }

    func testSessionWorksWithARealVault() async throws {
        var vault = VaultConfiguration()
        vault.path = folder + "/vault"
        vault.stateDirectory = folder + "/vault-state"
        vault.keySources = try [.passphrase(SecretBytes("correct horse"))]
        vault.argon2idCost = try Argon2idCost(memory: .kibibytes(8), passes: 1)
        vault.promptPolicy.timeout = .seconds(30)
        let keychain = Keychain(store: try VaultStore(vault))
        let session = try session(keychain: keychain)
        try await session.logIn(username: "alice", password: "zhang")
        let later = try self.session(keychain: Keychain(store: try VaultStore(vault)))
        try await later.restore()
        server.expire()
        let user = try await later.value(of: .data).user
        XCTAssertEqual(user, "alice")
        let logout = Task { await failure { try await later.logOut() } }
        logout.cancel()
        _ = await logout.value
        try await later.logOut()
        let all = try await keychain.allAccounts()
        XCTAssertEqual(all, [])
        XCTAssertEqual(files, [])
    }
}

/// A keyring whose operations all fail.
struct RefusingStore: CredentialStore {
    let name = "refusing"
    let capabilities: StoreCapabilities = []

    func credential(for key: CredentialKey) throws(KeychainError) -> Credential? { throw .locked }
    func set(_ credential: Credential) throws(KeychainError) { throw .locked }
    func delete(_ key: CredentialKey) throws(KeychainError) -> Bool { throw .locked }
    func items(service: String?) throws(KeychainError) -> [CredentialItem] { throw .locked }
    func search(_ attributes: [String: String]) throws(KeychainError) -> [CredentialItem] { throw .locked }
    func update(_ changes: [CredentialChange]) throws(KeychainError) { throw .locked }
    func lock() {}
    func unlock() {}
}
