// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import XCTest

@testable import CredKitServer
@testable import CredKitServerCommand
import NIOConcurrencyHelpers

/// Servers that break the protocol.
final class HostileRedisTests: RedisTestCase {
    private func fake(_ react: @escaping @Sendable ([String]) -> FakeRedis.Reaction) throws -> FakeRedis {
        try FakeRedis { command in FakeRedis.greet(command).map { .text($0) } ?? react(command) }
    }

    private func client(of server: FakeRedis, loops: Int = 1) async throws -> RedisClient {
        try await started("redis://127.0.0.1:\(server.port)", loops: loops)
    }

    /// Every reply is cut, those to the login too. Each piece is its own write without delay.
    func testRepliesCutAtEveryByteAreTheSame() async throws {
        let value = "*3\r\n$3\r\na\r\n\r\n*2\r\n:-12\r\n$-1\r\n+fine\r\n"
        let error = "-OOM command not allowed when used memory > 'maxmemory'.\r\n"
        for (text, isError) in [(value, false), (error, true)] {
            for cut in 1..<text.utf8.count {
                let server = try FakeRedis { command in
                    let reply = Array((FakeRedis.greet(command) ?? text).utf8)
                    let index = min(cut, reply.count)
                    return .pieces([Array(reply[..<index]), Array(reply[index...])])
                }
                let client = try await client(of: server)
                let step = { @Sendable in
                    let value = try await client.run(Self.echo, keys: [], arguments: [], within: .seconds(20))
                    XCTAssertEqual(
                        value,
                        .array([
                            .bytes(Array("a\r\n".utf8)), .array([.integer(-12), .null]),
                            .bytes(Array("fine".utf8)),
                        ])
                    )
                }
                let seen = await errorCode(step)
                XCTAssertEqual(seen, isError ? .outOfSpace : nil, "cut at \(cut)")
                await client.stop()
            }
        }
    }

    func testBrokenRepliesEndTheConnection() async throws {
        for text in [
            "hello\r\n", "%1\r\n+a\r\n:1\r\n", "$99999999999\r\n", "*99999999\r\n", ":1a\r\n", "\r\n",
            String(repeating: "*1\r\n", count: 100), "+" + String(repeating: "a", count: 1 << 20),
        ] {
            let server = try fake { _ in .text(text) }
            let client = try await client(of: server)
            let seen = await errorCode { _ = try await client.echo("x") }
            XCTAssertEqual(seen, .malformedAnswer, text.prefix(20).debugDescription)
        }
    }

    /// The connection is closed before a later caller could get what was left over.
    func testSurplusAnswersReachNoCaller() async throws {
        let count = NIOLockedValueBox(0)
        let server = try fake { _ in
            let number = count.withLockedValue { count in
                count += 1
                return count
            }
            return number == 1 ? .text("+one\r\n+two\r\n") : .text("+own\r\n")
        }
        let client = try await client(of: server)
        let first = try await client.echo("x")
        XCTAssertEqual(first, "one")
        for _ in 0..<20 {
            let answer = try? await client.echo("x")
            XCTAssertTrue(answer == "own" || answer == nil, answer ?? "")
        }
        try await assertEventually({ (try? await client.echo("x")) == "own" }, "the connection is replaced")
    }

    func testServerThatSpeaksFirstIsRefused() async throws {
        for greeting in ["+hello\r\n", "-ERR max number of clients reached\r\n", "$5\r\nhe"] {
            let server = try FakeRedis(greeting: greeting) { command in
                FakeRedis.greet(command).map { .text($0) } ?? .text("+x\r\n")
            }
            let client = try client("redis://127.0.0.1:\(server.port)", loops: 1)
            let seen = await errorCode {
                try await client.start()
                _ = try await client.echo("x")
            }
            XCTAssertNotNil(seen, greeting)
        }
    }

    func testServerThatNeverAnswersTheGreetingIsNamed() async throws {
        let silent = try FakeRedis { _ in .nothing }
        let client = try client("redis://127.0.0.1:\(silent.port)", loops: 1)
        let start = ContinuousClock.now
        let seen = await errorCode { try await client.start() }
        XCTAssertEqual(seen, .timedOut)
        XCTAssertLessThan(start.duration(to: .now), .seconds(3))
    }

    func testServerThatClosesIsNamed() async throws {
        let greeting = try FakeRedis { _ in .close }
        let client = try client("redis://127.0.0.1:\(greeting.port)", loops: 1)
        var seen = await errorCode { try await client.start() }
        XCTAssertEqual(seen, .disconnected)
        let server = try fake { _ in .close }
        let other = try await self.client(of: server)
        seen = await errorCode { _ = try await other.echo("x") }
        XCTAssertEqual(seen, .disconnected)
    }

    /// The commands on the way get their answers before the connection is replaced.
    func testServerThatBecomesAReplicaOrLoadsIsReplaced() async throws {
        for (text, expected) in [
            ("-READONLY You can't write against a read only replica.\r\n", SharedStateError.Code.readOnly),
            ("-LOADING Redis is loading the dataset in memory\r\n", .loading),
            ("-MASTERDOWN Link with MASTER is down\r\n", .noReplicas),
        ] {
            let logins = NIOLockedValueBox(0)
            let server = try FakeRedis { command in
                if command.first == "INFO" { logins.withLockedValue { $0 += 1 } }
                return FakeRedis.greet(command).map { .text($0) }
                    ?? .text(command.last == "bad" ? text : "+\(command.last ?? "")\r\n")
            }
            let client = try await client(of: server)
            let tasks = (0..<50).map { number in
                Task { try await client.echo(number == 20 ? "bad" : "\(number)") }
            }
            for (number, task) in tasks.enumerated() {
                do {
                    let answer = try await task.value
                    XCTAssertEqual(answer, "\(number)")
                } catch {
                    XCTAssertEqual((error as? SharedStateError)?.code, expected)
                }
            }
            let time = try await recovery(of: client)
            XCTAssertLessThan(time, .seconds(1))
            XCTAssertEqual(logins.withLockedValue { $0 }, 2)
        }
    }

    func testServerThatIsLoadingIsNamed() async throws {
        let server = try FakeRedis { command in
            command.first == "INFO" ? .text("$11\r\nrole:master\r\n") : .text("-LOADING Redis is loading\r\n")
        }
        let client = try client("redis://127.0.0.1:\(server.port)", loops: 1)
        let seen = await errorCode { try await client.start() }
        XCTAssertEqual(seen, .loading)
        let again = await errorCode { _ = try await client.echo("x") }
        XCTAssertEqual(again, .loading)
    }

    func testErrorsShowNothingOfWhatWasSent() async throws {
        let server = try fake { command in .text("-ERR unknown \(command.joined(separator: " "))\r\n") }
        let client = try await client(of: server)
        do {
            _ = try await client.echo("s3cret")
            XCTFail("no error")
        } catch {
            XCTAssertFalse("\(error)".contains("s3cret"), "\(error)")
        }
    }
}
