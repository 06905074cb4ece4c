// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitPostgreSQL
import CredKitTestSupport
import CredKitTesting
import XCTest

@testable import CredKitServer

/// Changes of passwords at several servers that share their state and their users.
final class AccountSharedStateTests: XCTestCase {
    private static let serverCount = 4
    private let rounds = TestForm.isDeep ? 50 : 5

    private func configuration() throws -> SharedStateConfiguration {
        try SharedStateConfiguration(key: [UInt8](repeating: 7, count: 32), timeLimit: .seconds(10))
    }

    /// Marks something, so that a history begins.
    private func begin(_ storage: LoginStorage) async throws {
        _ = try await storage.replays.markUsed(
            StoreKey("first"),
            account: StoreKey("first"),
            lifetime: .seconds(60),
            challengeAge: .zero
        )
    }

    private func overRedis() async throws -> (RedisServer, [AccountServer]) {
        let server = try RedisServer()
        let configuration = try configuration()
        let storages = try (0..<Self.serverCount).map { _ in
            try LoginStorage.redis(
                BlockingRedisClient(port: server.port),
                configuration: configuration,
                serverCount: Self.serverCount
            )
        }
        try await begin(storages[0])
        let engine = RedisEngine(BlockingRedisClient(port: server.port), configuration)
        try server.command("HSET", "\(engine.prefix)epoch", "since", "1")
        let accounts = InMemoryAccounts(try AccountServer.users())
        return (server, try storages.map { try AccountServer(accounts: accounts, storage: $0, at: .now) })
    }

    /// The users are in PostgreSQL, too.
    private func overPostgreSQL() async throws -> (PostgreSQLServer, [AccountServer]) {
        let server = try PostgreSQLServer(settings: ["fsync": "on"])
        try server.createRole()
        let configuration = try configuration()
        try server.run(SQLSchema(configuration).script(role: "app"))
        try server.run(
            """
            CREATE TABLE users (login text PRIMARY KEY, hash text);
            GRANT SELECT, INSERT, DELETE, UPDATE (hash) ON users TO app
            """
        )
        let clients = try (0..<Self.serverCount).map { _ in try PostgreSQLClient(server) }
        let storages = try clients.map {
            try LoginStorage.postgreSQL($0, configuration: configuration, serverCount: Self.serverCount)
        }
        try await begin(storages[0])
        try server.run("UPDATE \(configuration.namespace).epoch SET since = 1")
        let table = PostgreSQLAccounts.Table("users", schema: "public", name: "login", credential: "hash")
        let servers = try zip(clients, storages).map { client, storage in
            let accounts = PostgreSQLAccounts(client, table: table, timeLimit: .seconds(10))
            return try AccountServer(accounts: accounts, storage: storage, at: .now)
        }
        for user in try AccountServer.users() {
            let isStored = try await servers[0].accounts.set(
                user.credential,
                inPlaceOf: nil,
                ofAccountNamed: user.name
            )
            XCTAssertTrue(isStored)
        }
        return (server, servers)
    }

    func testOneLinkIsUsedOnceOverRedis() async throws {
        let (server, servers) = try await overRedis()
        try await assertUsedOnce(servers)
        withExtendedLifetime(server) {}
    }

    func testOneLinkIsUsedOnceOverPostgreSQL() async throws {
        let (server, servers) = try await overPostgreSQL()
        try await assertUsedOnce(servers)
        withExtendedLifetime(server) {}
    }

    private func assertUsedOnce(_ servers: [AccountServer], line: UInt = #line) async throws {
        for round in 0..<rounds {
            let link = try await servers[round % servers.count].link(at: .now)
            let answers = try await withThrowingTaskGroup(of: (String, PasswordChange).self) { group in
                for (index, server) in servers.enumerated() {
                    let new = "new password \(round) of server \(index)"
                    group.addTask { (new, try await server.set(link, to: new, at: .now)) }
                }
                return try await group.reduce(into: [(String, PasswordChange)]()) { $0.append($1) }
            }
            let changed = answers.filter { $0.1 == .changed(nil) }
            XCTAssertEqual(changed.count, 1, "\(answers)", line: line)
            XCTAssertEqual(
                answers.count { $0.1 == .notPermitted },
                servers.count - 1,
                "\(answers)",
                line: line
            )
            let login = try await servers[(round + 1) % servers.count].logIn(
                try XCTUnwrap(changed.first).0,
                at: .now
            )
            XCTAssertEqual(login.decision, .accepted(user: "alice"), line: line)
            let again = try await servers[round % servers.count].set(link, at: .now)
            XCTAssertEqual(again, .notPermitted, line: line)
        }
    }

    func testNoSessionOfTheOldPasswordIsLeftOverRedis() async throws {
        let (server, servers) = try await overRedis()
        try await assertNoOldSessionIsLeft(servers)
        withExtendedLifetime(server) {}
    }

    func testNoSessionOfTheOldPasswordIsLeftOverPostgreSQL() async throws {
        let (server, servers) = try await overPostgreSQL()
        try await assertNoOldSessionIsLeft(servers)
        withExtendedLifetime(server) {}
    }

    /// Logins with the old password at three servers while it changes at a fourth one.
    private func assertNoOldSessionIsLeft(_ servers: [AccountServer], line: UInt = #line) async throws {
        var (old, new) = (AccountServer.old, AccountServer.new)
        for round in 0..<rounds {
            let session = try await servers[1].session(old, at: .now)
            let (password, other) = (old, new)
            let results = try await withThrowingTaskGroup(of: (PasswordChange?, SessionToken?).self) {
                group in
                for server in servers.dropFirst() {
                    group.addTask { (nil, try await server.logIn(password, at: .now).session) }
                }
                group.addTask { [servers] in
                    (try await servers[0].change(session, from: password, to: other, at: .now), nil)
                }
                return try await group.reduce(into: [(PasswordChange?, SessionToken?)]()) { $0.append($1) }
            }
            guard case .changed(let token?) = results.compactMap(\.0).first else {
                return XCTFail("round \(round): \(results)", line: line)
            }
            for case let token? in results.map(\.1) {
                let user = try await servers[2].user(of: token.text)
                XCTAssertNil(user, "round \(round)", line: line)
            }
            let left = try await servers[3].service.sessions.sessions(of: "alice", current: token.text)
            XCTAssertEqual(left.map(\.isCurrent), [true], "round \(round)", line: line)
            swap(&old, &new)
        }
    }

    /// The answer of a store that hangs does not come, and nothing is changed before.
    func testStoreThatIsAwayChangesNothing() async throws {
        let (server, servers) = try await overRedis()
        let session = try await servers[0].session(at: .now)
        let link = try await servers[0].link(at: .now)
        server.kill()
        for change in [
            { try await servers[0].change(session, at: .now) }, { try await servers[0].set(link, at: .now) },
        ] as [() async throws -> PasswordChange] {
            do {
                let answer = try await change()
                XCTFail("\(answer)")
            } catch let error as LoginServerError {
                XCTAssertEqual(error, .storeFailed, "\(error)")
            }
        }
        let stored = try await servers[0].accounts.account(named: "alice")?.credential
        let context = try AccountServer.context()
        let verification = try context.verify(AccountServer.old, against: try XCTUnwrap(stored).passwordHash)
        XCTAssertEqual(verification, .match(rehashed: nil))
    }
}
