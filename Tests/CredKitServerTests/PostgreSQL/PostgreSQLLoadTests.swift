// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitPostgreSQL
import CredKitServer
import CredKitSystem
import CredKitTestSupport
import XCTest

/// Much at once, and much in one piece.
final class PostgreSQLLoadTests: PostgreSQLTestCase {
    private func server() throws -> PostgreSQLServer {
        let server = try PostgreSQLServer()
        try server.createRole()
        return server
    }

    func testLargeAnswers() async throws {
        let server = try server()
        let client = try client(port: server.port)
        let one = try await client.answer("SELECT repeat('x', 52428800)").get()
        guard case .text(let text)? = one.first?.first else { return XCTFail("no text") }
        XCTAssertEqual(text.utf8.count, 50 << 20)
        XCTAssertTrue(text.utf8.allSatisfy { $0 == UInt8(ascii: "x") })
        let many = try await client.answer(
            "SELECT n, repeat('y', 1024) FROM generate_series(1::bigint, 51200) n"
        ).get()
        XCTAssertEqual(many.count, 51200)
        let expected = SQLValue.text(String(repeating: "y", count: 1024))
        for (index, row) in many.enumerated() where row != [.integer(Int64(index + 1)), expected] {
            XCTFail("row \(index)")
            break
        }
    }

    /// Over a relay that reads little at once, so that the socket is often full.
    func testLargeStatementsAndParameters() async throws {
        let server = try server()
        let relay = try FakePostgreSQL.relay(to: server.port, pieceSize: 1024)
        let client = try client(port: relay.port)
        let text = String(repeating: "ä", count: 512 << 10)
        let long = try await client.answer("SELECT '\(text)'")
        XCTAssertEqual(long, .success([[.text(text)]]))
        let bytes = SQLValue.bytes((0..<(5 << 20)).map { UInt8(truncatingIfNeeded: $0 ^ $0 >> 8) })
        let five = SQLValue.text(String(repeating: "0123456789abcdef", count: 5 << 16))
        let echo = try await client.answer(
            "SELECT $1::bytea, $2::text, $3::bigint",
            [bytes, five, .integer(.min)]
        )
        XCTAssertTrue(echo == .success([[bytes, five, .integer(.min)]]))
    }

    /// A server that does not read does not keep the caller.
    func testAServerThatDoesNotReadIsTimedOut() async throws {
        let end = DispatchSemaphore(value: 0)
        let server = try FakePostgreSQL { connection in
            FakePostgreSQL.greet(connection)
            end.wait()
            end.signal()
        }
        defer { end.signal() }
        let client = try client(port: server.port)
        let bytes = SQLValue.bytes([UInt8](repeating: 1, count: 16 << 20))
        let error = try await client.failure("SELECT $1::bytea", [bytes], within: .seconds(2))
        XCTAssertEqual(error, SharedStateError(.timedOut), "\(error)")
    }

    func testTextsWithNULAreRefused() async throws {
        let server = try server()
        let client = try client(port: server.port)
        for (text, parameters) in [
            ("SELECT $1::text", [SQLValue.text("a\0b")]), ("SELECT 'a\0b'", []),
            ("SELECT $1::text\0", [.text("a")]),
        ] {
            let error = try await client.failure(text, parameters)
            XCTAssertEqual(error.code, .failed, "\(error)")
            XCTAssertFalse(error.description.contains("b"), "\(error)")
        }
        let bytes = SQLValue.bytes([0, 1, 0])
        let echo = try await client.answer("SELECT $1::bytea", [bytes])
        XCTAssertEqual(echo, .success([[bytes]]))
    }

    /// Each task gets its own answer, and there are never more connections than threads.
    func testManyTasks() async throws {
        let server = try server()
        let client = try client(port: server.port)
        try await withThrowingTaskGroup { group in
            for task in 0..<64 {
                group.addTask {
                    for round in 0..<25 {
                        let value = SQLValue.text("\(task) \(round)")
                        guard round % 5 != 4 else {
                            let error = try await client.failure("SELECT 1 / 0")
                            XCTAssertTrue(error.description.contains("22012"), "\(error)")
                            continue
                        }
                        let rows = try await client.answer("SELECT $1::text, pg_backend_pid()::text", [value])
                            .get()
                        XCTAssertEqual(rows.first?.first, value)
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = try server.run("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'credkit'")
        XCTAssertEqual(count, [["4"]])
    }

    /// Statements that run still answer, and then nothing is left of the client.
    func testAClientThatIsReleasedWhileStatementsRun() async throws {
        let server = try server()
        let connections = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'credkit'"
        for _ in 0..<3 {
            var client: PostgreSQLClient? = try self.client(port: server.port)
            let tasks = (0..<12).map { [client] _ in
                Task { try await client?.answer("SELECT 'x' FROM pg_sleep(0.2)") }
            }
            try await wait(for: "the connections") { try server.run(connections) == [["4"]] }
            client = nil
            for task in tasks {
                let answer = try await task.value
                XCTAssertEqual(answer, .success([[.text("x")]]))
            }
            try await wait(for: "the connections to end") { try server.run(connections) == [["0"]] }
            // A late statement's thread outlives its client.
            client = try self.client(port: server.port)
            let late = try await client?.failure("SELECT pg_sleep(600)", within: .milliseconds(300))
            XCTAssertEqual(late, SharedStateError(.timedOut))
            client = nil
            try await wait(for: "the late connection to end") { try server.run(connections) == [["0"]] }
        }
    }
}
