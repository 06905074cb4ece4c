// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import XCTest

@testable import CredKitServer

/// Four servers with passkeys over Redis, whose primary is killed or frozen before its replica has everything: each answer is
/// accepted once, and around a failover at most once.
final class PasskeyFailoverTests: XCTestCase {
    /// A login of which the answer is there, and how many servers have accepted it.
    private struct Login: Sendable {
        let ceremony: String
        let answer: [UInt8]
        var accepted = 0
    }

    /// The number of answers of tests of passkeys at several servers; `nil` for the usual one.
    static let rounds = ProcessInfo.processInfo.environment["CREDKIT_PASSKEY_ROUNDS"].flatMap { Int($0) }

    private static let serverCount = 4
    /// The answers between two failovers. With those around a failover, they are fewer than a server remembers of a user.
    private static let roundsOfAFailover = 40
    private static let answersAroundAFailover = 6

    private static func configuration() throws -> SharedStateConfiguration {
        try SharedStateConfiguration(key: [UInt8](repeating: 7, count: 32), timeLimit: .seconds(2))
    }

    func testNothingIsAcceptedTwiceOverRedis() async throws {
        let rounds = Self.rounds ?? 2
        let failovers = max(1, rounds / Self.roundsOfAFailover)
        let store = InMemoryPasskeyStore()
        let accounts = try SharedPasskeyUsers.accounts(failovers)
        var (primary, replica) = (try RedisServer(), try RedisServer())
        try replica.follow(primary)
        var (never, again) = (0, 0)
        for failover in 0..<failovers {
            try await age(primary)
            let before = try servers(over: primary, store, accounts)
            let user = SharedPasskeyUsers.name(failover)
            let authenticator = try await SharedPasskeyUsers.enrol(user, at: before[0])
            for round in 0..<(rounds / failovers) {
                let login = try login(authenticator, at: before[round % before.count])
                let accepted = await Self.send(login, of: user, to: before)
                XCTAssertEqual(accepted, 1)
            }
            var logins: [Login] = []
            let moment = Int.random(in: 1..<Self.answersAroundAFailover)
            for number in 0..<Self.answersAroundAFailover {
                // The replica lacks what comes next: the server that it follows then does not answer.
                if number == moment { try replica.command("REPLICAOF", "127.0.0.1", "1") }
                var login = try login(authenticator, at: before[number % before.count])
                login.accepted = await Self.send(login, of: user, to: before)
                XCTAssertEqual(login.accepted, 1)
                logins.append(login)
            }
            var last = try login(authenticator, at: before[0])
            let sent = last
            async let meanwhile = PasskeyFailoverTests.send(sent, of: user, to: before)
            let isFrozen = !failover.isMultiple(of: 2)
            if isFrozen { primary.signal(SIGSTOP) } else { primary.kill() }
            last.accepted = await meanwhile
            try replica.command("REPLICAOF", "NO", "ONE")
            let after = try servers(over: replica, store, accounts)
            for _ in 0..<2 {
                for index in logins.indices {
                    let accepted = await Self.send(logins[index], of: user, to: after)
                    XCTAssertEqual(accepted, 0, "failover \(failover)")
                }
                let accepted = await Self.send(last, of: user, to: after)
                last.accepted += accepted
            }
            XCTAssertLessThanOrEqual(last.accepted, 1, "failover \(failover)")
            never += last.accepted == 0 ? 1 : 0
            // As if the history had not begun with the promotion: what the replica lacks is accepted again.
            try await age(replica)
            for login in logins { again += await Self.send(login, of: user, to: after) }
            if isFrozen {
                primary.signal(SIGCONT)
                primary.kill()
            }
            try primary.start()
            try primary.follow(replica)
            swap(&primary, &replica)
        }
        XCTAssertGreaterThanOrEqual(again, failovers, "no answer was lost, so that nothing was shown")
        print(
            "\(failovers) failovers, answers that no server accepted: \(never), without a history again: \(again)"
        )
    }

    private func servers(
        over redis: RedisServer,
        _ store: InMemoryPasskeyStore,
        _ accounts: InMemoryAccounts
    ) throws -> [PasskeyServer] {
        let configuration = try Self.configuration()
        return try (0..<Self.serverCount).map { _ in
            let storage = try LoginStorage.redis(
                BlockingRedisClient(port: redis.port),
                configuration: configuration,
                serverCount: Self.serverCount
            )
            return try PasskeyServer(store: store, storage: storage, accounts: accounts, at: .now)
        }
    }

    /// Makes the present history of Redis begin long ago, as if it had run since then.
    private func age(_ redis: RedisServer) async throws {
        let engine = RedisEngine(BlockingRedisClient(port: redis.port), try Self.configuration())
        let key = StoreKey("first", "\(UInt64.random(in: 0 ... .max))")
        _ = try await RedisReplayStore(engine).markUsed(
            key,
            account: key,
            lifetime: .seconds(60),
            challengeAge: .zero
        )
        try redis.command("HSET", "\(engine.prefix)epoch", "since", "1")
    }

    private func login(_ authenticator: VirtualAuthenticator, at server: PasskeyServer) throws -> Login {
        let options = try server.loginOptions(at: .now)
        return Login(ceremony: options.ceremony, answer: try authenticator.answer(options))
    }

    /// Sends an answer to all servers at once. Returns how many accept it.
    private static func send(_ login: Login, of user: String, to servers: [PasskeyServer]) async -> Int {
        await withTaskGroup(of: Bool.self) { group in
            for server in servers {
                group.addTask {
                    // A server whose engine does not answer accepts nothing.
                    guard let result = try? await server.finish(login.ceremony, login.answer, at: .now) else {
                        return false
                    }
                    return result.decision == .accepted(user: user)
                }
            }
            var accepted = 0
            for await isAccepted in group where isAccepted { accepted += 1 }
            return accepted
        }
    }
}
