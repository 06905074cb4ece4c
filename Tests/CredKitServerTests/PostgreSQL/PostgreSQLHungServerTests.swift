// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitPostgreSQL
import CredKitServer
import CredKitSystem
import XCTest

/// Servers that accept connections and then do nothing, or never stop to send.
final class PostgreSQLHungServerTests: PostgreSQLTestCase {
    /// Callers are answered within their own limit, over more calls than there are threads, and nothing piles up.
    func testCallersOfAServerThatNeverAnswersAreAnswered() async throws {
        let open = Lock(0)
        let most = Lock(0)
        let server = try FakePostgreSQL { connection in
            let count = open.withLock { count in
                count += 1
                return count
            }
            most.withLock { $0 = max($0, count) }
            while !connection.read().isEmpty {}
            open.withLock { $0 -= 1 }
        }
        let client = try client(port: server.port) { $0.connectTimeLimit = .seconds(2) }
        let warm = try await client.failure(within: .milliseconds(50))
        XCTAssertEqual(warm, SharedStateError(.timedOut))
        let (threads, descriptors) = (ThisProcess.threadCount, ThisProcess.descriptorCount)
        let started = ContinuousClock.now
        let codes = try await withThrowingTaskGroup(of: SharedStateError.self) { group in
            for _ in 0..<200 {
                group.addTask { try await client.failure(within: .milliseconds(300)) }
            }
            return try await group.reduce(into: Set()) { $0.insert($1.code) }
        }
        XCTAssertEqual(codes, [.timedOut])
        // The threads were still connecting when the callers had their answers.
        XCTAssertLessThan(ContinuousClock.now - started, .milliseconds(1800))
        // Each of its threads has one in the server, too.
        XCTAssertLessThanOrEqual(ThisProcess.threadCount, threads + 3 * 2 + 2)
        XCTAssertLessThanOrEqual(ThisProcess.descriptorCount, descriptors + 3 * 2 + 2)
        XCTAssertLessThanOrEqual(most.withLock { $0 }, 4)
        // Connecting ends by its own limit.
        try await wait(for: "the connections to be closed") { open.withLock { $0 } == 0 }
    }

    func testStatementsBeyondTheQueueAreRefused() async throws {
        let accepted = Lock(0)
        let server = try FakePostgreSQL { connection in
            accepted.withLock { $0 += 1 }
            while !connection.read().isEmpty {}
        }
        let client = try client(port: server.port) { settings in
            settings.threadCount = 2
            settings.maximumWaitingCount = 10
        }
        let codes = try await withThrowingTaskGroup(of: SharedStateError.self) { group in
            for _ in 0..<2 { group.addTask { try await client.failure(within: .seconds(4)) } }
            try await wait(for: "both threads to be busy") { accepted.withLock { $0 } == 2 }
            for _ in 0..<50 { group.addTask { try await client.failure(within: .seconds(2)) } }
            return try await group.reduce(into: [:]) { $0[$1.code, default: 0] += 1 }
        }
        XCTAssertEqual(codes, [.timedOut: 12, .overloaded: 40])
    }

    /// The thread that reads an endless answer must end, and not fill the memory.
    func testEndlessAnswersEnd() async throws {
        let row = FakePostgreSQL.message("D", [0, 1, 0, 0, 1, 0] + [UInt8](repeating: 7, count: 256))
        let columns = FakePostgreSQL.message(
            "T",
            [0, 1, 97, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 17, 255, 255, 255, 255, 255, 255, 0, 1]
        )
        let notice = FakePostgreSQL.fields("N", ["SNOTICE", "VNOTICE", "C00000", "Mnothing"])
        let setting = FakePostgreSQL.message("S", Array("a\0b\0".utf8))
        let cases: [(name: String, greeting: [UInt8], head: [UInt8], endless: [UInt8])] = [
            ("rows", FakePostgreSQL.greeting, columns, row),
            ("notices", FakePostgreSQL.greeting, [], notice),
            ("settings", FakePostgreSQL.greeting, [], setting),
            ("results", FakePostgreSQL.greeting, [], FakePostgreSQL.message("C", Array("SELECT 1\0".utf8))),
            ("notices at connecting", [], FakePostgreSQL.message("R", [0, 0, 0, 0]), notice),
            ("settings at connecting", [], FakePostgreSQL.message("R", [0, 0, 0, 0]), setting),
        ]
        for (name, greeting, head, endless) in cases {
            let ended = Lock(false)
            let server = try FakePostgreSQL { connection in
                _ = connection.read()
                connection.write(greeting)
                if !greeting.isEmpty { _ = connection.read() }
                connection.write(head)
                let many = [[UInt8]](repeating: endless, count: 64).flatMap { $0 }
                while connection.write(many) {}
                ended.withLock { $0 = true }
            }
            let client = try client(port: server.port) { $0.connectTimeLimit = .milliseconds(300) }
            let error = try await client.failure(within: .milliseconds(300))
            // More answers than statements are not waited for.
            let expected: SharedStateError.Code = name == "results" ? .disconnected : .timedOut
            XCTAssertEqual(error, SharedStateError(expected), "\(name): \(error)")
            try await wait(for: "the thread that reads \(name)") { ended.withLock { $0 } }
        }
    }
}
