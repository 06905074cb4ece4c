// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitPostgreSQL
import CredKitTestServers
import CredKitTesting
import XCTest

@testable import CredKitServer

/// The counts of logins in a real PostgreSQL server.
final class PostgreSQLMechanismUseStoreTests: XCTestCase {
    private func configuration() throws -> SharedStateConfiguration {
        try SharedStateConfiguration(
            key: [UInt8](repeating: 7, count: 32),
            namespace: "Login_1",
            timeLimit: .seconds(10)
        )
    }

    private func server() throws -> PostgreSQLServer {
        let server = try PostgreSQLServer(settings: ["fsync": "on"])
        try server.createRole()
        try server.run(SQLSchema(configuration()).script(role: "app"))
        return server
    }

    private func store(_ server: PostgreSQLServer) throws -> PostgreSQLMechanismUseStore {
        PostgreSQLMechanismUseStore(
            try PostgreSQLClient(server, threadCount: 2),
            configuration: try configuration()
        )
    }

    func testRandomLoginsAreCountedAsByOneServer() async throws {
        let server = try server()
        try await MechanismUseChecks.checkRandomLogins(store(server))
    }

    func testConcurrentServersAddUpExactly() async throws {
        let server = try server()
        try await MechanismUseChecks.checkConcurrentServers((0..<8).map { _ in try store(server) })
    }

    func testOldAccountsAreForgotten() async throws {
        let server = try server()
        let store = try store(server)
        try await store.add(MechanismUseChecks.addition("new", age: .seconds(5)))
        for number in 0..<1200 {
            let age = Duration.seconds((number.isMultiple(of: 2) ? 401 : 399) * 86_400)
            try await store.add(MechanismUseChecks.addition("\(number)", age: age))
        }
        // Servers that purge and save at the same time wait for each other, and not for ever.
        try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                let purge = PostgreSQLPurge(
                    try PostgreSQLClient(server, threadCount: 2),
                    configuration: try configuration()
                )
                group.addTask { _ = try await purge.purge() }
                let store = try self.store(server)
                group.addTask {
                    for _ in 0..<50 { try await store.add(MechanismUseChecks.addition("new", age: .zero)) }
                }
            }
            try await group.waitForAll()
        }
        let client = try PostgreSQLClient(server, threadCount: 2)
        try await PostgreSQLPurge(client, configuration: configuration()).purge()
        let counts = try await store.counts()
        XCTAssertEqual(counts.map(\.logins), [1401])
        XCTAssertEqual(counts.map(\.accounts), [601])
        let rest = try await store.accounts(using: "scram", since: UnixTime(0))
        XCTAssertEqual(rest.count, 601)
        let removed = try await PostgreSQLPurge(
            client,
            configuration: configuration(),
            mechanismUseRetention: .seconds(86_400)
        ).purge()
        XCTAssertEqual(removed, 600)
        let last = try await store.accounts(using: "scram", since: UnixTime(0))
        XCTAssertEqual(last, ["new"])
        XCTAssertThrowsError(
            try PostgreSQLPurge(client, configuration: configuration(), mechanismUseRetention: .zero)
        )
    }

    /// A clock that is ahead does not make an account appear as used for ever.
    func testTimesThatHaveNotComeAreTakenForNow() async throws {
        let server = try server()
        let store = try store(server)
        try await store.add(MechanismUseChecks.addition("alice", age: .seconds(-1_000_000)))
        let last = try await store.counts().map(\.lastUse)
        XCTAssertLessThanOrEqual(last[0], .now)
        let found = try await store.accounts(using: "scram", since: .now + .seconds(60))
        XCTAssertEqual(found, [])
    }
}
