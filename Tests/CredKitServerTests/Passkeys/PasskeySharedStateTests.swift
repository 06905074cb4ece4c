// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitPostgreSQL
import CredKitTestSupport
import XCTest

@testable import CredKitServer

/// Logins with passkeys at several servers that share their state.
final class PasskeySharedStateTests: XCTestCase {
    private static let serverCount = 4
    private static let roundsOfAUser = 16
    /// `CREDKIT_PASSKEY_ROUNDS`, or the number of the form.
    private let rounds = PasskeyFailoverTests.rounds ?? (TestForm.isDeep ? 250 : 5)

    private func accounts() throws -> InMemoryAccounts {
        try SharedPasskeyUsers.accounts(1 + rounds / Self.roundsOfAUser)
    }

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

    private func overRedis() async throws -> (RedisServer, [PasskeyServer]) {
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
        // Redis holds no passkeys.
        let store = InMemoryPasskeyStore()
        let accounts = try accounts()
        let servers = try storages.map {
            try PasskeyServer(store: store, storage: $0, accounts: accounts, at: .now)
        }
        return (server, servers)
    }

    private func overPostgreSQL() async throws -> (PostgreSQLServer, [PasskeyServer]) {
        let server = try PostgreSQLServer(settings: ["fsync": "on"])
        try server.createRole()
        let configuration = try configuration()
        try server.run(SQLSchema(configuration).script(role: "app"))
        let clients = try (0..<Self.serverCount).map { _ in try PostgreSQLClient(server) }
        let storages = try clients.map {
            try LoginStorage.postgreSQL($0, configuration: configuration, serverCount: Self.serverCount)
        }
        try await begin(storages[0])
        try server.run("UPDATE \(configuration.namespace).epoch SET since = 1")
        let accounts = try accounts()
        let servers = try zip(clients, storages).map { client, storage in
            let store = PostgreSQLPasskeyStore(client, configuration: configuration)
            return try PasskeyServer(store: store, storage: storage, accounts: accounts, at: .now)
        }
        return (server, servers)
    }

    func testOneAnswerIsAcceptedOnceOverRedis() async throws {
        let (server, servers) = try await overRedis()
        try await assertAcceptedOnce(servers)
        withExtendedLifetime(server) {}
    }

    func testOneAnswerIsAcceptedOnceOverPostgreSQL() async throws {
        let (server, servers) = try await overPostgreSQL()
        try await assertAcceptedOnce(servers)
        withExtendedLifetime(server) {}
    }

    private func assertAcceptedOnce(_ servers: [PasskeyServer], line: UInt = #line) async throws {
        var (user, authenticator) = ("", try VirtualAuthenticator())
        for round in 0..<rounds {
            if round.isMultiple(of: Self.roundsOfAUser) {
                user = SharedPasskeyUsers.name(round / Self.roundsOfAUser)
                authenticator = try await SharedPasskeyUsers.enrol(user, at: servers[0])
            }
            let options = try servers[round % servers.count].loginOptions(at: .now)
            let answer = try authenticator.answer(options)
            let results = try await withThrowingTaskGroup(of: LoginResult.self) { group in
                for server in servers {
                    group.addTask { try await server.finish(options.ceremony, answer, at: .now) }
                }
                return try await group.reduce(into: [LoginResult]()) { $0.append($1) }
            }
            let accepted = results.filter { $0.decision == .accepted(user: user) }
            XCTAssertEqual(accepted.count, 1, "\(results)", line: line)
            XCTAssertTrue(
                results.allSatisfy { $0.decision == .rejected || $0.session != nil },
                "\(results)",
                line: line
            )
        }
    }

    /// Two servers finish two ceremonies of one account at once.
    func testCountersAreRightOverPostgreSQL() async throws {
        let (server, servers) = try await overPostgreSQL()
        var authenticator = try VirtualAuthenticator()
        for round in 0..<rounds {
            let name = SharedPasskeyUsers.name(round / Self.roundsOfAUser)
            if round.isMultiple(of: Self.roundsOfAUser) {
                authenticator = try await SharedPasskeyUsers.enrol(name, at: servers[0], signCount: 1)
            }
            let begin = UnixTime.now
            var answers: [(PasskeyServer, UInt32, String, [UInt8])] = []
            for login in servers.prefix(2) {
                authenticator.signCount += 1
                let options = try login.loginOptions(at: .now)
                answers.append(
                    (login, authenticator.signCount, options.ceremony, try authenticator.answer(options))
                )
            }
            let accepted = try await withThrowingTaskGroup(of: UInt32?.self) { group in
                for (login, count, ceremony, answer) in answers {
                    group.addTask {
                        let result = try await login.finish(ceremony, answer, at: .now)
                        return result.decision == .accepted(user: name) ? count : nil
                    }
                }
                return try await group.reduce(into: [UInt32]()) { counts, count in
                    if let count { counts.append(count) }
                }
            }
            let stored = try await servers[2].store.credential(id: authenticator.credentialID)
            XCTAssertEqual(stored?.record.signCount, authenticator.signCount)
            let lastUse = try XCTUnwrap(stored?.lastUse)
            // A server that waits for its engine counts the beginning of a second as a whole one.
            XCTAssertTrue(begin <= lastUse && lastUse <= UnixTime.now + .seconds(1), "\(lastUse)")
            XCTAssertTrue(accepted.contains(authenticator.signCount), "\(accepted)")
        }
        withExtendedLifetime(server) {}
    }

    /// An enrolment at one server, which the others know at once, and a removal.
    func testPasskeysAreSharedOverPostgreSQL() async throws {
        let (server, servers) = try await overPostgreSQL()
        var authenticator = try VirtualAuthenticator()
        try await servers[0].enrol(&authenticator, at: .now)
        let login = try await servers[1].logIn(authenticator, at: .now)
        XCTAssertEqual(login.decision, .accepted(user: "alice"))
        let permission = try servers[1].permission(login, at: .now)
        let answer = try await servers[2].service.removePasskey(
            authenticator.credentialID,
            with: permission
        )
        XCTAssertEqual(answer, .done)
        let session = try XCTUnwrap(login.session).text
        let user = try await servers[3].service.sessions.user(of: session)
        XCTAssertNil(user)
        let late = try await servers[3].logIn(authenticator, at: .now)
        XCTAssertEqual(late.decision, .rejected)
        withExtendedLifetime(server) {}
    }
}
