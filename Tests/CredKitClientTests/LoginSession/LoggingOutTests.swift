// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKit
import CredKitKeychain
import Foundation
import HTTPTypes
import CredKitTesting
import XCTest

@testable import CredKitClient

final class LoggingOutTests: SessionTestCase {
    func testLogoutLeavesNothingBehindAndNotifiesTheServer() async throws {
        let session = try await loggedIn()
        let transport = server.transport
        XCTAssertEqual(files.count, 1)
        try await session.logOut()
        XCTAssertEqual(files, [])
        let all = try await keychain.allAccounts()
        XCTAssertEqual(all, [])
        XCTAssertEqual(server.state.withLock { $0.sessions }, [:], "the server should have no session left")
        XCTAssertTrue(session.cookies.isEmpty)
        XCTAssertNil(session.account)
        XCTAssertNil(session.serverUTCOffset)
        try await session.logOut()
        let status = await failure { _ = try await session.send(.data) }
        XCTAssertEqual(status?.statusCode, 401)
        XCTAssertEqual(server.loginCount, 1)
        _ = transport
    }

    func testLogoutRemovesStateSavedByAnEarlierProcess() async throws {
        _ = try await loggedIn()
        try await session().logOut()
        XCTAssertEqual(files, [])
        let all = try await keychain.allAccounts()
        XCTAssertEqual(all, [])
        XCTAssertEqual(server.state.withLock { $0.sessions }, [:])
    }

    func testLogoutKeepsPasswordsTheSessionDidNotSave() async throws {
        try await keychain.setPassword("zhang", service: "http://127.0.0.1:1", account: "alice")
        let session = try session()
        try await session.logIn(username: "alice", password: "zhang", savesPassword: false)
        server.expire()
        let error = await failure { _ = try await session.value(of: .data) }
        XCTAssertEqual(error, .reauthenticationRequired, "the user's own item is not the session's")
        try await session.logOut()
        let kept = try await keychain.text(service: "http://127.0.0.1:1", account: "alice")
        XCTAssertEqual(kept, "zhang")
    }

    func testSecondLoginWithoutSavingForgetsTheFirstPassword() async throws {
        _ = try await loggedIn()
        let later = try session()
        try await later.logIn(username: "alice", password: "zhang", savesPassword: false)
        let kept = try await password(of: "alice")
        XCTAssertNil(kept)
    }

    func testLogoutDoesNotWaitForASilentServer() async throws {
        let session = try await loggedIn()
        server.script("/logout.php") { _ in .never }
        let start = ContinuousClock.now
        try await session.logOut()
        XCTAssertLessThan(ContinuousClock.now - start, .seconds(20))
        XCTAssertEqual(files, [])
    }

    func testNothingIsSentAsAUserWhoLogsOut() async throws {
        let session = try await loggedIn()
        let gate = Gate()
        server.script("/logout.php") { _ in
            await gate.pass()
            return nil
        }
        let logout = Task { await failure { try await session.logOut() } }
        await gate.hasCome()
        // The server has not received the logout yet, but the session is already logged out.
        let status = await failure { _ = try await session.send(.data) }
        XCTAssertEqual(status?.statusCode, 401)
        gate.open()
        let error = await logout.value
        XCTAssertNil(error)
    }

    func testFailedLogoutCanBeRetried() async throws {
        let store = SwitchedStore()
        let keychain = Keychain(store: store)
        let session = try session(keychain: keychain)
        try await session.logIn(username: "alice", password: "zhang")
        store.isLocked.withLock { $0 = true }
        let error = await failure { try await session.logOut() }
        XCTAssertEqual(error, .keychain)
        XCTAssertNil(session.account)
        XCTAssertEqual(files, [])
        store.isLocked.withLock { $0 = false }
        try await session.logOut()
        let all = try await keychain.allAccounts()
        XCTAssertEqual(all, [])
    }

    func testLogoutOfALaterProcessWithALockedKeychainCanBeRetried() async throws {
        let store = SwitchedStore()
        let keychain = Keychain(store: store)
        try await session(keychain: keychain).logIn(username: "alice", password: "zhang")
        let later = try session(keychain: keychain)
        store.isLocked.withLock { $0 = true }
        let error = await failure { try await later.logOut() }
        XCTAssertEqual(error, .keychain)
        store.isLocked.withLock { $0 = false }
        try await later.logOut()
        let all = try await keychain.allAccounts()
        XCTAssertEqual(all, [])
        XCTAssertEqual(files, [])
    }

    func testLogoutRemovesADamagedFile() async throws {
        _ = try await loggedIn()
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: filePath))
        let later = try session()
        let error = await failure { try await later.restore() }
        XCTAssertEqual(error, .storage)
        try await later.logOut()
        XCTAssertEqual(files, [])
        let names = try await LoginSession.savedSessionNames(in: keychain)
        XCTAssertEqual(names, [])
    }
}

/// An in-memory keyring that can be locked.
final class SwitchedStore: CredentialStore {
    let name = "switched"
    let capabilities: StoreCapabilities = []
    let isLocked = Lock(false)
    private let store = InMemoryStore()

    private func check() throws(KeychainError) { if isLocked.withLock({ $0 }) { throw .locked } }

    func credential(for key: CredentialKey) async throws(KeychainError) -> Credential? {
        try check()
        return try await store.credential(for: key)
    }
    func set(_ credential: Credential) async throws(KeychainError) {
        try check()
        try await store.set(credential)
    }
    func delete(_ key: CredentialKey) async throws(KeychainError) -> Bool {
        try check()
        return try await store.delete(key)
    }
    func items(service: String?) async throws(KeychainError) -> [CredentialItem] {
        try check()
        return await store.items(service: service)
    }
    func search(_ attributes: [String: String]) async throws(KeychainError) -> [CredentialItem] {
        try check()
        return await store.search(attributes)
    }
    func update(_ changes: [CredentialChange]) async throws(KeychainError) {
        try check()
        try await store.update(changes)
    }
    func lock() {}
    func unlock() {}
}
