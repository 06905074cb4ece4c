// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitPostgreSQL
import CredKitSystem
import CredKitTestSupport
import XCTest

@testable import CredKitServer

/// A credential that changes while logins with the old one are decided: no session of the old one is left.
final class ChangedCredentialTests: XCTestCase {
    /// Users whose accounts can be changed, as a file or a table can.
    private final class Users: LoginAccounts {
        private let accounts = Lock<[String: LoginAccount]>([:])
        private let lookups = Lock<AsyncStream<Void>.Continuation?>(nil)

        /// Has an element for each lookup from now on.
        func observeLookups() -> AsyncStream<Void> {
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            lookups.withLock { $0 = continuation }
            return stream
        }

        func set(_ account: LoginAccount) { accounts.withLock { $0[account.name] = account } }
        func account(named name: String) -> LoginAccount? {
            defer { lookups.withLock { _ = $0?.yield() } }
            return accounts.withLock { $0[name] }
        }
        func replace(_: StoredCredential, with _: StoredCredential, ofAccountNamed _: String) {}
    }

    private func configuration() throws -> SharedStateConfiguration {
        try SharedStateConfiguration(key: [UInt8](repeating: 7, count: 32), timeLimit: .seconds(10))
    }

    private func service(_ users: Users, _ storage: LoginStorage) throws -> (LoginService, [StoredCredential])
    {
        let context = try PasswordContext(
            policy: PasswordPolicy(
                preferred: .argon2id(memory: .kibibytes(1024), passes: 1)
            )
        )
        let credentials = try ["one", "two"].map { try StoredCredential(context.hash($0)) }
        var limits = LoginConfiguration()
        limits.accountLimit = try RateLimit(attempts: 1_000_000, per: .seconds(1))
        limits.clientLimit = limits.accountLimit
        limits.rejectionInterval = .zero
        let service = try LoginService(
            accounts: users,
            mechanisms: [.password(try PasswordService(context: context))],
            storage: storage,
            configuration: limits
        )
        return (service, credentials)
    }

    private func assertNoSessionIsLeft(_ storage: LoginStorage, rounds: Int, line: UInt = #line) async throws
    {
        let users = Users()
        let (service, credentials) = try service(users, storage)
        var created = 0
        for round in 0..<rounds {
            let (old, new) = (credentials[round % 2], credentials[(round + 1) % 2])
            users.set(LoginAccount(name: "alice", credential: old))
            let lookups = users.observeLookups()
            let tokens = try await withThrowingTaskGroup(of: SessionToken?.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        let attempt = LoginAttempt(
                            username: "alice",
                            response: round % 2 == 0 ? "one" : "two",
                            clientAddress: "192.0.2.1"
                        )
                        let result = try await service.logInReturningAnswer(
                            with: PasswordMechanism.name,
                            attempt,
                            issuingSession: true
                        )
                        return result.session
                    }
                }
                group.addTask {
                    // After any of the eight lookups of four logins that are accepted.
                    var left = Int.random(in: 1...8)
                    for await _ in lookups {
                        left -= 1
                        if left == 0 { break }
                    }
                    users.set(LoginAccount(name: "alice", credential: new))
                    try await service.sessions.revokeAll(of: "alice")
                    return nil
                }
                return try await group.reduce(into: []) { $0.append($1) }.compactMap { $0 }
            }
            created += tokens.count
            for token in tokens {
                let user = try await service.sessions.user(of: token.text)
                XCTAssertNil(user, "round \(round)", line: line)
            }
        }
        XCTAssertGreaterThan(created, 0, "no login came before a change", line: line)
    }

    func testInMemory() async throws {
        try await assertNoSessionIsLeft(.memory(isFirstStart: true), rounds: 200)
    }

    func testInRedis() async throws {
        let server = try RedisServer()
        let storage = try LoginStorage.redis(
            BlockingRedisClient(port: server.port),
            configuration: configuration(),
            serverCount: 1
        )
        try await assertNoSessionIsLeft(storage, rounds: 200)
    }

    func testInPostgreSQL() async throws {
        let server = try PostgreSQLServer(settings: ["fsync": "on"])
        try server.createRole()
        try server.run(SQLSchema(configuration()).script(role: "app"))
        let storage = try LoginStorage.postgreSQL(
            PostgreSQLClient(server),
            configuration: configuration(),
            serverCount: 1
        )
        try await assertNoSessionIsLeft(storage, rounds: 200)
    }

    /// Something else than the password changes, such as a one-time key.
    func testChangedRevisionIsAChange() async throws {
        struct Changing: LoginAccounts {
            let count = Lock(0)
            let credential: StoredCredential
            let revisions: [StoreKey?]

            func account(named name: String) -> LoginAccount? {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                return LoginAccount(
                    name: name,
                    credential: credential,
                    revision: revisions[(number - 1) % revisions.count]
                )
            }
            func replace(_: StoredCredential, with _: StoredCredential, ofAccountNamed _: String) {}
        }
        let credential = try service(Users(), .memory()).1[0]
        for (revisions, isAccepted) in [
            ([nil, nil], true), (["a", "a"], true), (["a", "b"], false), ([nil, "a"], false),
            (["a", nil], false),
        ] as [([String?], Bool)] {
            let users = Changing(credential: credential, revisions: revisions.map { $0.map { StoreKey($0) } })
            let storage = LoginStorage.memory()
            let service = try LoginService(
                accounts: users,
                mechanisms: [.password(try PasswordService(context: PasswordContext(policy: .recommended)))],
                storage: storage
            )
            let result = try await service.logInReturningAnswer(
                with: PasswordMechanism.name,
                LoginAttempt(username: "alice", response: "one", clientAddress: "192.0.2.1"),
                issuingSession: true
            )
            XCTAssertEqual(result.session != nil, isAccepted, "\(revisions)")
            XCTAssertEqual(result.decision == .rejected, !isAccepted, "\(revisions)")
            XCTAssertEqual((storage.sessions as? InMemorySessionStore)?.count, isAccepted ? 1 : 0)
        }
    }

    /// A hash that another login has renewed meanwhile is one of the same password.
    func testRenewedHashIsNotAChange() async throws {
        let users = Users()
        let (service, _) = try service(users, .memory(isFirstStart: true))
        let context = try PasswordContext(policy: .recommended)
        let hashes = try (0..<2).map { _ in try StoredCredential(context.hash("one")) }
        users.set(LoginAccount(name: "alice", credential: hashes[0]))
        let logins = Task {
            var count = 0
            for _ in 0..<20 {
                let attempt = LoginAttempt(username: "alice", response: "one", clientAddress: "192.0.2.1")
                let result = try await service.logInReturningAnswer(
                    with: PasswordMechanism.name,
                    attempt,
                    issuingSession: true
                )
                if result.session != nil { count += 1 }
            }
            return count
        }
        let changes = Task {
            var number = 0
            while !Task.isCancelled {
                number += 1
                users.set(LoginAccount(name: "alice", credential: hashes[number % 2]))
                await Task.yield()
            }
        }
        let count = try await logins.value
        changes.cancel()
        XCTAssertEqual(count, 20)
    }
}
