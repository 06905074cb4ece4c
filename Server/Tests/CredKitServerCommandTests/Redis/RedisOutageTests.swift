// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import NIOCore
import XCTest

@testable import CredKitServer
@testable import CredKitServerCommand

/// Servers that hang, die and come back.
final class RedisOutageTests: RedisTestCase {
    func testServerThatHangsIsNamedInTimeAndComesBack() async throws {
        let server = try RedisServer()
        let client = try await started("redis://127.0.0.1:\(server.port)")
        server.signal(SIGSTOP)
        let start = ContinuousClock.now
        var seen: [SharedStateError.Code: Int] = [:]
        while start.duration(to: .now) < .seconds(2) {
            let codes = await withTaskGroup(of: SharedStateError.Code?.self) { group in
                for _ in 0..<100 {
                    group.addTask {
                        await errorCode { _ = try await client.echo("x", within: .milliseconds(100)) }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for code in codes { seen[code ?? .failed, default: 0] += 1 }
            XCTAssertLessThanOrEqual(client.waitingCount, 2 * 16_384)
            try await Task.sleep(for: .milliseconds(10))
        }
        XCTAssertEqual(Set(seen.keys), [.timedOut, .disconnected], "\(seen)")
        server.signal(SIGCONT)
        let time = try await recovery(of: client)
        XCTAssertLessThan(time, .seconds(1))
        XCTAssertEqual(client.waitingCount, 0)
    }

    func testErrorsOfAHangingServerComeWithinTheLimit() async throws {
        let server = try RedisServer()
        let client = try await started("redis://127.0.0.1:\(server.port)")
        server.signal(SIGSTOP)
        defer { server.signal(SIGCONT) }
        for _ in 0..<5 {
            let start = ContinuousClock.now
            let seen = await errorCode { _ = try await client.echo("x", within: .milliseconds(100)) }
            XCTAssertNotNil(seen)
            XCTAssertLessThan(start.duration(to: .now), .milliseconds(400))
        }
    }

    func testIdleConnectionToAHangingServerIsGivenUp() async throws {
        let server = try RedisServer()
        var limits = RedisLimits()
        limits.idleTime = .milliseconds(100)
        limits.abandonedAge = .milliseconds(300)
        let client = try await started("redis://127.0.0.1:\(server.port)", limits: limits)
        // Probes that are answered change nothing.
        try await assertEventually(
            { try await (server.calls(of: "ping") ?? 0) > 10 },
            "idle connections are probed"
        )
        let connections = try await server.info("total_connections_received") ?? 0
        server.signal(SIGSTOP)
        try await assertEventually(
            // Nothing is sent without a time for it.
            { await errorCode { _ = try await client.echo("x", within: .zero) } == .disconnected },
            "the connections are closed without a command"
        )
        server.signal(SIGCONT)
        let time = try await recovery(of: client)
        XCTAssertLessThan(time, .seconds(1))
        let more = try await server.info("total_connections_received") ?? 0
        XCTAssertGreaterThan(more, connections)
    }

    func testRestartedServerIsFoundAgainWithoutItsScripts() async throws {
        let server = try RedisServer()
        let client = try await started("redis://127.0.0.1:\(server.port)")
        _ = try await client.run(Self.write, keys: ["k"], arguments: [[1]], within: .seconds(20))
        for pause in [Duration.zero, .milliseconds(1500)] {
            server.kill()
            try await assertEventually(
                { await errorCode { _ = try await client.echo("x") } == .disconnected },
                "the loss is named"
            )
            let start = ContinuousClock.now
            let seen = await errorCode { _ = try await client.echo("x") }
            XCTAssertEqual(seen, .disconnected)
            XCTAssertLessThan(start.duration(to: .now), .milliseconds(100), "nothing is awaited")
            try await Task.sleep(for: pause)
            try server.start()
            let time = try await recovery(of: client)
            XCTAssertLessThan(time, .seconds(1))
            let exists = try await server.send("EXISTS", "k")
            XCTAssertEqual(exists, .integer(0))
            _ = try await client.run(Self.write, keys: ["k"], arguments: [[1]], within: .seconds(20))
        }
    }

    func testServerThatIsDownAtTheStartIsFoundLater() async throws {
        let server = try RedisServer()
        server.kill()
        let client = try client("redis://127.0.0.1:\(server.port)")
        let seen = await errorCode { try await client.start() }
        XCTAssertEqual(seen, .disconnected)
        try server.start()
        let time = try await recovery(of: client)
        XCTAssertLessThan(time, .seconds(1))
        await client.stop()
        let stopped = await errorCode { _ = try await client.echo("x") }
        XCTAssertEqual(stopped, .disconnected)
    }

    func testCallersOfADyingServerGetAnError() async throws {
        let server = try RedisServer()
        let client = try await started("redis://127.0.0.1:\(server.port)")
        server.signal(SIGSTOP)
        let waiting = (0..<100).map { _ in
            Task { await errorCode { _ = try await client.echo("x") } }
        }
        try await assertEventually({ client.waitingCount == 100 }, "they wait")
        server.kill()
        for task in waiting {
            let seen = await task.value
            XCTAssertEqual(seen, .disconnected)
        }
    }
}
