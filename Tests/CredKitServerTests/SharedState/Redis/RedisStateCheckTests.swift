// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import XCTest

@testable import CredKitServer

/// A server refuses to start with an engine that can lose what must be kept.
final class RedisStateCheckTests: XCTestCase {
    private func configuration(_ namespace: String = "credkit") throws -> SharedStateConfiguration {
        try SharedStateConfiguration(
            key: [UInt8](repeating: 7, count: 32),
            namespace: namespace,
            timeLimit: .seconds(10)
        )
    }

    private func problems(
        _ server: RedisServer,
        login: [String] = [],
        isBehind: Duration = .zero
    ) async throws -> [SharedStateProblem] {
        let engine = RedisEngine(
            BlockingRedisClient(port: server.port, login: login),
            try configuration(),
            clock: EngineClock(permittedDifference: .seconds(5)) {
                .seconds(UnixTime.now.seconds) - isBehind
            }
        )
        return await RedisStateCheck(engine).problems()
    }

    private func expect(
        _ code: String,
        _ remedy: String,
        _ problems: [SharedStateProblem],
        line: UInt = #line
    ) {
        XCTAssertEqual(problems.map(\.code), [code], "\(problems)", line: line)
        XCTAssertTrue("\(problems)".contains(remedy), "\(problems)", line: line)
    }

    func testUnsafeServersAreRefusedWithTheRemedy() async throws {
        let server = try RedisServer()
        let none = try await problems(server)
        XCTAssertEqual(none, [])
        let names = try server.command("KEYS", "*").split(separator: "\n").filter { !$0.hasSuffix(":epoch") }
        for name in names { XCTAssertNotEqual(try server.command("PTTL", String(name)), "-1", "\(name)") }
        for policy in ["allkeys-lru", "volatile-ttl", "volatile-random"] {
            try server.command("CONFIG", "SET", "maxmemory-policy", policy)
            expect("maxmemory-policy", "set maxmemory-policy noeviction", try await problems(server))
        }
        try server.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
        let replica = try RedisServer()
        try replica.follow(server)
        expect("min-replicas-to-write", "set min-replicas-to-write 1", try await problems(server))
        try server.command("CONFIG", "SET", "min-replicas-to-write", "1")
        // Until the replica has answered once, it does not count.
        let end = ContinuousClock.now + .seconds(20)
        while try !server.command("INFO", "replication").contains("min_slaves_good_slaves:1") {
            guard ContinuousClock.now < end else { return XCTFail("the replica does not answer") }
        }
        let safe = try await problems(server)
        XCTAssertEqual(safe, [])
        expect("readOnly", "connect to the primary", try await problems(replica))
        expect("clocksDiffer", "synchronize the clocks", try await problems(server, isBehind: .seconds(60)))
        try server.command("CONFIG", "SET", "maxmemory", "1")
        expect("outOfSpace", "no memory left", try await problems(server))
        replica.kill()
        try server.command("CONFIG", "SET", "maxmemory", "0")
        server.kill()
        expect("disconnected", "no connection", try await problems(server))
    }

    func testOldServersAreRefused() {
        for (version, isSuitable) in [("7.0.15", true), ("10.1", true), ("6.2.6", false), ("", false)] {
            let info = RedisStateCheck.fields(
                of: "# Server\r\nredis_version:\(version)\r\nrole:master\r\nmaxmemory_policy:noeviction\r\n"
            )
            XCTAssertEqual(RedisStateCheck.problems(in: info).isEmpty, isSuitable, version)
        }
        XCTAssertEqual(
            RedisStateCheck.problems(in: [:]).map(\.code),
            ["version", "replica", "maxmemory-policy"]
        )
    }

    /// The rule that is printed is enough, and each of its rights is needed.
    func testTheAccessRuleIsExact() async throws {
        let server = try RedisServer()
        let rule = RedisStateCheck.accessRule(for: "app", configuration: try configuration())
        func set(_ rule: String) throws {
            let parts = rule.split(separator: " ").map(String.init)
            try server.run(parts + [">secret"])
        }
        try set(rule)
        let login = ["app", "secret"]
        // Its first use must create a session and remove an old one, so the history began long ago.
        let none = try await problems(server, login: login)
        XCTAssertEqual(none, [])
        try server.command("HSET", "{credkit}:epoch", "since", "1")
        let again = try await problems(server, login: login)
        XCTAssertEqual(again, [])
        // Only a client that keeps idle connections sends PING.
        for command in RedisStateCheck.commands where command != "ping" {
            try server.command("SCRIPT", "FLUSH")
            try set(rule.split(separator: " ").filter { $0 != "+\(command)" }.joined(separator: " "))
            let refused = try await problems(server, login: login)
            XCTAssertEqual(refused.map(\.code), ["notPermitted"], command)
        }
        try set(rule.replacing("{credkit}", with: "{other}"))
        let foreign = try await problems(server, login: login)
        XCTAssertEqual(foreign.map(\.code), ["notPermitted"])
    }
}
