// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import CredKitTesting
import XCTest

@testable import CredKitServer

/// The stores in a real Redis server.
final class RedisStoreTests: XCTestCase {
    private static let key = [UInt8](repeating: 7, count: 32)

    private func configuration() throws -> SharedStateConfiguration {
        try SharedStateConfiguration(key: Self.key, timeLimit: .seconds(10))
    }

    /// A server whose history began long enough ago that new challenges are accepted.
    private func server() throws -> (server: RedisServer, engine: RedisEngine) {
        let server = try RedisServer()
        let engine = RedisEngine(BlockingRedisClient(port: server.port), try configuration())
        return (server, engine)
    }

    /// Makes the present history begin long ago, as if the server had run since then.
    private func age(_ server: RedisServer, _ engine: RedisEngine) async throws {
        _ = try await RedisReplayStore(engine).markUsed(
            StoreKey("first"),
            account: StoreKey("first"),
            lifetime: .seconds(60),
            challengeAge: .zero
        )
        try server.command("HSET", "\(engine.prefix)epoch", "since", "1")
    }

    func testStoresPassTheirSuites() async throws {
        let (server, engine) = try server()
        try await age(server, engine)
        // All suites at once, since they wait for time to pass.
        try await withThrowingTaskGroup { group in
            group.addTask {
                var suite = ReplayStoreSuite { RedisReplayStore(engine, perAccountLimit: 8) }
                suite.perAccountLimit = 8
                try await suite.run()
            }
            group.addTask { try await RateStoreSuite { RedisRateStore(engine) }.run() }
            group.addTask { try await ChallengeStoreSuite { RedisChallengeStore(engine) }.run() }
            group.addTask { try await SessionStoreSuite { RedisSessionStore(engine) }.run() }
            group.addTask {
                let configuration = try SharedStateConfiguration(key: Self.key, timeLimit: .seconds(10))
                try await OneTimeCodeCounterStoreSuite {
                    RedisCounterStore(engine.runner, configuration: configuration)
                }.run()
            }
            group.addTask {
                try await LoginCompletionStoreSuite {
                    LoginStorage(
                        challenges: RedisChallengeStore(engine),
                        replays: RedisReplayStore(engine),
                        rates: RedisRateStore(engine),
                        sessions: RedisSessionStore(engine),
                        completions: RedisCompletionStore(engine)
                    )
                }.run()
            }
            try await group.waitForAll()
        }
    }

    /// Every key expires, except for the epoch and counters, and none contains a name in plain text.
    func testKeysExpireAndRevealNoNames() async throws {
        let (server, engine) = try server()
        let storage = try LoginStorage.redis(
            engine.runner,
            configuration: configuration(),
            serverCount: 1
        )
        let alice = StoreKey("account", "alice")
        _ = try await storage.rates.charge([RateCharge(alice, limit: .standardPerAccount)])
        _ = try await storage.sessions.create(StoreKey("session", "t"), of: "alice", limits: SessionLimits())
        try await storage.sessions.revokeAll(of: "alice")
        _ = try await storage.sessions.create(StoreKey("session", "u"), of: "alice", limits: SessionLimits())
        try await storage.sessions.revokeOthers(of: "alice", retaining: StoreKey("session", "u"))
        try await storage.challenges.remember("c", of: alice, lifetime: .seconds(60), perClientLimit: 8)
        try await age(server, engine)
        _ = try await storage.replays.markUsed(
            StoreKey("p"),
            account: alice,
            lifetime: .seconds(60),
            challengeAge: .zero
        )
        let names = try server.command("KEYS", "*").split(separator: "\n")
        XCTAssertEqual(
            Set(names.compactMap { $0.split(separator: ":").dropFirst().first }),
            [
                "rate", "session", "user", "challenge", "replay", "replayAccount", "epoch",
            ]
        )
        for name in names {
            XCTAssertTrue(name.hasPrefix("{credkit}:"), "\(name)")
            XCTAssertFalse(name.contains("alice") || name.contains(alice.hex), "\(name)")
            let rest = try XCTUnwrap(Int(server.command("PTTL", String(name))))
            XCTAssertEqual(rest < 0, name.hasSuffix(":epoch"), "\(name) \(rest)")
        }
    }

    /// The rates of the script are those of the table in memory, fed with the engine's times.
    func testRatesEqualThoseInMemory() async throws {
        let (server, engine) = try server()
        let store = RedisRateStore(engine)
        let seed = UInt64.random(in: 0 ... .max)
        var generator = SeededGenerator(seed: seed)
        var table = RateTable(keyLimit: 1000)
        let prefix = "\(seed)"
        for round in 0..<400 {
            let keys = ["a", "b", "c"].shuffled(using: &generator).prefix(
                Int.random(in: 1...3, using: &generator)
            )
            let charges = try keys.map { key in
                RateCharge(
                    StoreKey("account", prefix + key),
                    limit: try RateLimit(
                        attempts: .random(in: 1...20, using: &generator),
                        per: .seconds(.random(in: 1...3, using: &generator))
                    )
                )
            }
            let reply = try await engine.run(
                RedisRateStore.charging,
                keys: charges.map { engine.key(.rate, $0.key) },
                charges.flatMap { [Array(argument: $0.limit.interval), Array(argument: $0.limit.burst)] }
            )
            let expected = table.charge(charges, at: reply.time)
            switch expected {
            case .allowed: XCTAssertEqual(reply.word, "allowed", "round \(round) of seed \(seed)")
            case .limited(let wait):
                XCTAssertEqual(reply.word, "limited", "round \(round) of seed \(seed)")
                XCTAssertEqual(Duration.microseconds(try reply.integer(0)), wait, "round \(round) of \(seed)")
            }
            if round.isMultiple(of: 50) {
                let key = StoreKey("account", prefix + "a")
                try await store.reset(key)
                table.reset(key)
            }
        }
        _ = server
    }

    /// The script decides the cases of the rule as the other stores do.
    func testScriptDecidesTheCasesOfTheRule() async throws {
        let (server, engine) = try server()
        let clock = RateClock()
        let timed = RedisEngine(
            TimedRedisClient(client: engine.runner, clock: clock),
            try configuration(),
            clock: EngineClock(permittedDifference: .seconds(5)) { clock.now }
        )
        let store = RedisRateStore(timed)
        for rateCase in RateCases.all {
            try await rateCase.run(in: store) { clock.now = $0 }
        }
        _ = server
    }

    /// A counter may have more bits than a number of Lua.
    func testCountersAreExact() async throws {
        let (server, engine) = try server()
        let store = RedisCounterStore(engine.runner, configuration: try configuration())
        for (counter, isStored) in [
            (UInt64.max - 1, true), (UInt64.max - 1, false), (UInt64.max, true), (0, false),
            (1 << 53, false),
        ] {
            let answer = try await store.advance(to: counter, of: "alice")
            XCTAssertEqual(answer, isStored, "\(counter)")
        }
        let stored = try await store.counter(of: "alice")
        XCTAssertEqual(stored, .max)
        _ = server
    }

    /// A user who logs out everywhere is logged out for all servers with their next request.
    func testRevocationIsSeenByAllServers() async throws {
        let (server, _) = try server()
        let configuration = try configuration()
        let servers = (0..<4).map { _ in
            RedisSessionStore(BlockingRedisClient(port: server.port), configuration: configuration)
        }
        for round in 0..<20 {
            let session = StoreKey("session", "\(round)")
            _ = try await servers[round % 4].create(session, of: "alice", limits: SessionLimits())
            for server in servers {
                let user = try await server.user(of: session)
                XCTAssertEqual(user, "alice")
            }
            try await servers[(round + 1) % 4].revokeAll(of: "alice")
            for server in servers {
                let user = try await server.user(of: session)
                XCTAssertNil(user)
            }
        }
    }

    /// The error of a server that cannot do what is needed has a name.
    func testErrorsHaveNames() async throws {
        func assertFails(
            _ code: SharedStateError.Code,
            _ engine: RedisEngine,
            line: UInt = #line
        ) async {
            do {
                _ = try await RedisRateStore(engine).charge([
                    RateCharge(StoreKey("a"), limit: .standardPerAccount)
                ])
                XCTFail("no error", line: line)
            } catch {
                XCTAssertEqual(error as? SharedStateError, SharedStateError(code), "\(error)", line: line)
            }
        }
        let (server, engine) = try server()
        _ = try await RedisRateStore(engine).charge([RateCharge(StoreKey("a"), limit: .standardPerAccount)])
        try server.command("CONFIG", "SET", "maxmemory", "1")
        await assertFails(.outOfSpace, engine)
        // Sessions are found and ended without free memory.
        let sessions = RedisSessionStore(engine)
        let user = try await sessions.user(of: StoreKey("session"))
        XCTAssertNil(user)
        try await sessions.revoke(StoreKey("session"))
        try await sessions.revokeAll(of: "alice")
        try await sessions.revokeOthers(of: "alice", retaining: StoreKey("session"))
        let listed = try await sessions.sessions(of: "alice")
        XCTAssertEqual(listed, [])
        try server.command("CONFIG", "SET", "maxmemory", "0")
        try server.command("CONFIG", "SET", "min-replicas-to-write", "1")
        await assertFails(.noReplicas, engine)
        try server.command("CONFIG", "SET", "min-replicas-to-write", "0")
        let replica = try RedisServer()
        try replica.follow(server)
        await assertFails(
            .readOnly,
            RedisEngine(BlockingRedisClient(port: replica.port), try configuration())
        )
        try server.command("SET", engine.key(.rate, StoreKey("a")), "x")
        await assertFails(.failed, engine)
        try server.command("DEL", engine.key(.rate, StoreKey("a")))
        try server.command("LPUSH", engine.key(.rate, StoreKey("a")), "x")
        await assertFails(.wrongContent, engine)
        try server.command("ACL", "SETUSER", "app", "on", ">secret", "~*", "+eval", "+evalsha")
        let limited = BlockingRedisClient(port: server.port, login: ["app", "secret"])
        await assertFails(.notPermitted, RedisEngine(limited, try configuration()))
        let wrong = BlockingRedisClient(port: server.port, login: ["app", "wrong"])
        await assertFails(.loginFailed, RedisEngine(wrong, try configuration()))
        let slow = try SharedStateConfiguration(key: Self.key, timeLimit: .milliseconds(100))
        server.signal(SIGSTOP)
        await assertFails(.timedOut, RedisEngine(BlockingRedisClient(port: server.port), slow))
        server.signal(SIGCONT)
        server.kill()
        await assertFails(.disconnected, engine)
    }
}

/// A client whose scripts take the time from a clock in place of the server's.
private struct TimedRedisClient: RedisScriptRunner {
    let client: any RedisScriptRunner
    let clock: RateClock

    func run(
        _ script: RedisScript,
        keys: [String],
        arguments: [[UInt8]],
        within timeLimit: Duration
    ) async throws -> RedisValue {
        // The time comes after the arguments of the script, as the server's does: seconds, and microseconds.
        let text = script.text.replacing("redis.call('TIME')", with: "{ARGV[#ARGV - 1], ARGV[#ARGV]}")
        let (seconds, microseconds) = clock.now.microseconds.quotientAndRemainder(dividingBy: 1_000_000)
        return try await client.run(
            RedisScript(name: script.name, text: text),
            keys: keys,
            arguments: arguments + [[UInt8](argument: seconds), [UInt8](argument: microseconds)],
            within: timeLimit
        )
    }
}
