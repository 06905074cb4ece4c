// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitServer
@testable import CredKitServerCommand

/// A primary, a replica and three Sentinels, all of them real.
final class RedisSentinelTests: RedisTestCase {
    private struct Group {
        let primary: RedisServer
        let replica: RedisServer
        let sentinels: [RedisServer]

        init() throws {
            primary = try RedisServer(["repl-diskless-sync-delay 0"])
            replica = try RedisServer(["replicaof 127.0.0.1 \(primary.port)"])
            let port = primary.port
            sentinels = try (0..<3).map { _ in
                try RedisServer(
                    [
                        "sentinel monitor shop 127.0.0.1 \(port) 2",
                        "sentinel down-after-milliseconds shop 300",
                        "sentinel failover-timeout shop 2000",
                    ],
                    isSentinel: true
                )
            }
        }

        var url: String {
            "redis+sentinel://" + sentinels.map { "127.0.0.1:\($0.port)" }.joined(separator: ",") + "/shop"
        }

        /// Whether every Sentinel knows the replica and the others.
        func isComplete() async throws -> Bool {
            for sentinel in sentinels {
                guard case .array(let replicas) = try await sentinel.send("SENTINEL", "replicas", "shop"),
                    case .array(let others) = try await sentinel.send("SENTINEL", "sentinels", "shop")
                else { return false }
                if replicas.count != 1 || others.count != 2 { return false }
            }
            return true
        }
    }

    func testClientFollowsAFailover() async throws {
        let group = try Group()
        try await assertEventually({ try await group.isComplete() }, "the Sentinels find each other")
        let client = try await started(group.url)
        func write(_ text: String, within limit: Duration = .milliseconds(200)) async throws {
            _ = try await client.run(Self.write, keys: [text], arguments: [[1]], within: limit)
        }
        try await write("before", within: .seconds(20))
        let exists = try await group.primary.send("EXISTS", "before")
        XCTAssertEqual(exists, .integer(1))
        group.primary.signal(SIGSTOP)
        let start = ContinuousClock.now
        try await assertEventually({ (try? await write("after")) != nil }, "the new primary is found")
        print("failover: \(start.duration(to: .now))")
        let promoted = try await group.replica.send("EXISTS", "after")
        XCTAssertEqual(promoted, .integer(1))
        // The former primary comes back. Until a Sentinel tells it that it is a replica now, a connection that
        // outlived the freeze may still write to it.
        group.primary.signal(SIGCONT)
        try await assertEventually(
            {
                guard case .array(let role)? = try? await group.primary.send("ROLE") else { return false }
                return role.first == .bytes(Array("slave".utf8))
            },
            "the former primary is a replica"
        )
        try await assertEventually({ (try? await write("again")) != nil }, "the new primary is found again")
        let again = try await group.replica.send("EXISTS", "again")
        XCTAssertEqual(again, .integer(1))
    }

    func testSentinelsThatAreDownOrDoNotKnowTheNameArePassedOver() async throws {
        let server = try RedisServer()
        let lines = ["sentinel monitor shop 127.0.0.1 \(server.port) 1"]
        let (first, second) = (
            try RedisServer(lines, isSentinel: true), try RedisServer(lines, isSentinel: true)
        )
        second.kill()
        let sentinels = "127.0.0.1:\(second.port),127.0.0.1:\(first.port)"
        for _ in 0..<5 {
            let client = try await started("redis+sentinel://\(sentinels)/shop", loops: 1)
            let answer = try await client.echo("x")
            XCTAssertEqual(answer, "x")
            await client.stop()
        }
        let other = try client("redis+sentinel://\(sentinels)/bank", loops: 1)
        let seen = await errorCode { try await other.start() }
        XCTAssertEqual(seen, .disconnected)
    }

    /// Sentinels may name a server that is a replica by now.
    func testReplicaThatASentinelNamesIsRefused() async throws {
        let server = try RedisServer(["replicaof 127.0.0.1 1"])
        let port = server.port
        let sentinel = try FakeRedis { _ in
            .text("*2\r\n$9\r\n127.0.0.1\r\n$\("\(port)".count)\r\n\(port)\r\n")
        }
        let client = try client("redis+sentinel://127.0.0.1:\(sentinel.port)/shop", loops: 1)
        let seen = await errorCode { try await client.start() }
        XCTAssertEqual(seen, .readOnly)
        try await server.send("REPLICAOF", "NO", "ONE")
        let time = try await recovery(of: client)
        XCTAssertLessThan(time, .seconds(1))
    }

    func testMalformedSentinelIsNamed() async throws {
        for text in ["*2\r\n$1\r\n/\r\n$1\r\n1\r\n", "+OK\r\n", "*0\r\n"] {
            let sentinel = try FakeRedis { _ in .text(text) }
            let client = try client("redis+sentinel://127.0.0.1:\(sentinel.port)/shop", loops: 1)
            let seen = await errorCode { try await client.start() }
            XCTAssertEqual(seen, .malformedAnswer, text)
        }
    }
}
