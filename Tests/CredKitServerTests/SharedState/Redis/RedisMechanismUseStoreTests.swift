// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestServers
import CredKitTesting
import XCTest

@testable import CredKitServer

/// The counts of logins in a real Redis server.
final class RedisMechanismUseStoreTests: XCTestCase {
    private func configuration() throws -> SharedStateConfiguration {
        try SharedStateConfiguration(key: [UInt8](repeating: 7, count: 32), timeLimit: .seconds(10))
    }

    private func store(_ server: RedisServer, login: [String] = []) throws -> RedisMechanismUseStore {
        RedisMechanismUseStore(
            BlockingRedisClient(port: server.port, login: login),
            configuration: try configuration()
        )
    }

    func testRandomLoginsAreCountedAsByOneServer() async throws {
        let server = try RedisServer()
        try await MechanismUseChecks.checkRandomLogins(store(server))
    }

    func testConcurrentServersAddUpExactly() async throws {
        let server = try RedisServer()
        try await MechanismUseChecks.checkConcurrentServers((0..<8).map { _ in try store(server) })
    }

    /// The rights of the servers suffice.
    func testSuitePassesWithTheRightsOfServers() async throws {
        let server = try RedisServer()
        let rule = RedisStateCheck.accessRule(for: "app", configuration: try configuration())
        try server.run(rule.split(separator: " ").map(String.init) + [">secret"])
        let store = try store(server, login: ["app", "secret"])
        try await MechanismUseStoreSuite { store }.run()
    }

    func testOldAccountsAreForgotten() async throws {
        let server = try RedisServer()
        let store = try store(server)
        try await store.add(MechanismUseChecks.addition("kept", age: .seconds(399 * 86_400)))
        try await store.add(MechanismUseChecks.addition("gone", age: .seconds(401 * 86_400)))
        let counts = try await store.counts()
        XCTAssertEqual(counts.map(\.logins), [2])
        XCTAssertEqual(counts.map(\.accounts), [1])
        let accounts = try await store.accounts(using: "scram", since: UnixTime(0))
        XCTAssertEqual(accounts, ["kept"])
        let short = try RedisMechanismUseStore(
            BlockingRedisClient(port: server.port),
            configuration: configuration(),
            retention: .seconds(86_400)
        )
        try await short.add(MechanismUseChecks.addition("new", age: .seconds(5)))
        let rest = try await short.accounts(using: "scram", since: UnixTime(0))
        XCTAssertEqual(rest, ["new"])
        // The names of the keys have the form of all others, and the accounts expire when the mechanism is used no more.
        for name in try server.command("KEYS", "*").split(separator: "\n") {
            XCTAssertTrue(name.hasPrefix("{credkit}:mechanism"), "\(name)")
            let rest = try XCTUnwrap(Int(server.command("PTTL", String(name))))
            XCTAssertEqual(rest > 0, name.hasPrefix("{credkit}:mechanismAccount:"), "\(name) \(rest)")
        }
        XCTAssertThrowsError(
            try RedisMechanismUseStore(
                BlockingRedisClient(port: server.port),
                configuration: configuration(),
                retention: .seconds(60)
            )
        )
    }

    /// A clock that is ahead does not make an account appear as used for ever.
    func testTimesThatHaveNotComeAreTakenForNow() async throws {
        let server = try RedisServer()
        let store = try store(server)
        try await store.add(MechanismUseChecks.addition("alice", age: .seconds(-1_000_000)))
        let last = try await store.counts().map(\.lastUse)
        XCTAssertLessThanOrEqual(last[0], .now)
        let found = try await store.accounts(using: "scram", since: .now + .seconds(60))
        XCTAssertEqual(found, [])
    }
}
