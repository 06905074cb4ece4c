// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import NIOCore
import XCTest

@testable import CredKitServer
@testable import CredKitServerCommand

/// Many commands at once: each caller gets its own answer or none.
final class RedisQueueTests: RedisTestCase {
    private func connectionCount(_ server: RedisServer) async throws -> Int {
        // Without the administrator's connection.
        (try await server.info("total_connections_received") ?? 0) - 1
    }

    func testTenThousandCommandsAtOnceGetTheirOwnAnswers() async throws {
        let server = try RedisServer()
        let client = try await started("redis://127.0.0.1:\(server.port)")
        let wrong = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<10_000 {
                group.addTask { try await client.echo("\(number)") != "\(number)" }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        XCTAssertEqual(wrong, 0)
        XCTAssertEqual(client.waitingCount, 0)
        let connections = try await connectionCount(server)
        XCTAssertEqual(connections, 2)
    }

    func testCancelledCommandsDisturbNoOther() async throws {
        let server = try RedisServer()
        var limits = RedisLimits()
        limits.abandonedAge = .seconds(20)
        let client = try await started("redis://127.0.0.1:\(server.port)", limits: limits)
        let count = ProcessInfo.processInfo.environment["CREDKIT_DEEP"] == nil ? 4000 : 40_000
        let tasks = (0..<count).map { number in
            Task { try await client.echo("\(number)") }
        }
        // Some before they are sent, some on the way, and some too late.
        for index in tasks.indices.shuffled().prefix(count / 2) {
            tasks[index].cancel()
            await Task.yield()
        }
        var (own, cancelled) = (0, 0)
        for (number, task) in tasks.enumerated() {
            do {
                let answer = try await task.value
                XCTAssertEqual(answer, "\(number)")
                own += 1
            } catch is CancellationError {
                cancelled += 1
            }
        }
        XCTAssertGreaterThanOrEqual(own, count / 2)
        XCTAssertEqual(own + cancelled, count)
        try await assertEventually({ client.waitingCount == 0 }, "tombstones remain")
        let connections = try await connectionCount(server)
        XCTAssertEqual(connections, 2, "no connection is closed")
        print("cancelled: \(cancelled) of \(count)")
    }

    func testLateAnswerReachesNoCaller() async throws {
        let server = try RedisServer()
        // A busy machine may take longer than an abandoned command may wait.
        var limits = RedisLimits()
        limits.abandonedAge = .seconds(20)
        let client = try await started("redis://127.0.0.1:\(server.port)", limits: limits, loops: 1)
        _ = try await client.echo("first")
        server.signal(SIGSTOP)
        defer { server.signal(SIGCONT) }
        let seen = await errorCode { _ = try await client.echo("late", within: .milliseconds(50)) }
        XCTAssertEqual(seen, .timedOut)
        let next = Task { try await client.echo("own") }
        try await assertEventually({ client.waitingCount == 2 }, "both wait")
        server.signal(SIGCONT)
        let answer = try await next.value
        XCTAssertEqual(answer, "own")
        let connections = try await connectionCount(server)
        XCTAssertEqual(connections, 1)
    }

    func testCommandsBeyondTheBoundAreRefusedAtOnce() async throws {
        let server = try RedisServer()
        var limits = RedisLimits()
        limits.waitingCommands = 10
        limits.waitingByteCount = 10_000
        let client = try await started("redis://127.0.0.1:\(server.port)", limits: limits, loops: 1)
        server.signal(SIGSTOP)
        defer { server.signal(SIGCONT) }
        let waiting = (0..<10).map { number in Task { try await client.echo("\(number)") } }
        try await assertEventually({ client.waitingCount == 10 }, "they wait")
        let seen = await errorCode { _ = try await client.echo("more") }
        XCTAssertEqual(seen, .overloaded)
        server.signal(SIGCONT)
        for (number, task) in waiting.enumerated() {
            let answer = try await task.value
            XCTAssertEqual(answer, "\(number)")
        }
        let large = await errorCode {
            _ = try await client.echo(String(repeating: "a", count: 10_000))
        }
        XCTAssertEqual(large, .overloaded)
        let answer = try await client.echo("after")
        XCTAssertEqual(answer, "after")
    }

    func testCommandWithoutTimeIsNotSent() async throws {
        let server = try RedisServer()
        let client = try await started("redis://127.0.0.1:\(server.port)")
        // The server knows the script then, and would run it at once.
        _ = try await client.run(Self.write, keys: ["other"], arguments: [[1]], within: .seconds(20))
        for limit in [Duration.zero, .seconds(-1), .nanoseconds(1)] {
            let seen = await errorCode {
                _ = try await client.run(Self.write, keys: ["k"], arguments: [[1]], within: limit)
            }
            XCTAssertEqual(seen, .timedOut)
        }
        let exists = try await server.send("EXISTS", "k")
        XCTAssertEqual(exists, .integer(0))
        // No limit is too large.
        let value = try await client.run(
            Self.echo,
            keys: [],
            arguments: [[65]],
            within: .seconds(Int64.max)
        )
        XCTAssertEqual(value, .bytes([65]))
    }
}
