// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitPostgreSQL
import CredKitServer
import CredKitTestSupport
import XCTest

/// Real servers that hang, end and come back under a client.
final class PostgreSQLChangingServerTests: PostgreSQLTestCase {
    private func server(_ settings: [String: String] = [:]) throws -> PostgreSQLServer {
        let server = try PostgreSQLServer(settings: settings)
        try server.createRole()
        return server
    }

    /// Makes the client connect all its threads.
    private func connectAll(_ client: PostgreSQLClient, _ server: PostgreSQLServer) async throws {
        try await wait(for: "four connections") {
            try await withThrowingTaskGroup { group in
                for _ in 0..<16 { group.addTask { _ = try await client.answer("SELECT pg_sleep(0.02)") } }
                try await group.waitForAll()
            }
            return try connections(server) == 4
        }
    }

    private func connections(_ server: PostgreSQLServer) throws -> Int {
        Int(try server.run("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'credkit'")[0][0])
            ?? 0
    }

    func testAStoppedServerIsTimedOutAndComesBack() async throws {
        let server = try server()
        let client = try client(port: server.port)
        try await connectAll(client, server)
        let codes = try await server.suspended {
            let started = ContinuousClock.now
            let codes = try await withThrowingTaskGroup(of: SharedStateError.self) { group in
                for _ in 0..<40 { group.addTask { try await client.failure(within: .milliseconds(300)) } }
                return try await group.reduce(into: Set()) { $0.insert($1.code) }
            }
            XCTAssertLessThan(ContinuousClock.now - started, .seconds(3))
            return codes
        }
        XCTAssertEqual(codes, [.timedOut])
        // The same client answers again, at the latest after the pause for a server that has failed.
        try await wait(for: "the server to come back") {
            switch try await client.answer() {
            case .success: return true
            case .failure(let error):
                XCTAssertTrue([.timedOut, .disconnected].contains(error.code), "\(error.code): \(error)")
                return false
            }
        }
        for _ in 0..<20 { try await assertAnswers(client) }
        try await wait(for: "the late connections to end") { try connections(server) <= 4 }
    }

    func testALateStatementIsCancelled() async throws {
        let server = try server()
        for host in ["127.0.0.1", server.folder.path] {
            let client = try client(port: server.port) { settings in
                settings.connectionString = settings.connectionString.replacing("127.0.0.1", with: host)
            }
            let started = ContinuousClock.now
            let error = try await client.failure("SELECT pg_sleep(600)", within: .milliseconds(300))
            XCTAssertEqual(error, SharedStateError(.timedOut), "\(error)")
            XCTAssertLessThan(ContinuousClock.now - started, .seconds(3))
            try await wait(for: "the statement to be cancelled") {
                let query = """
                    SELECT count(*) FROM pg_stat_activity
                    WHERE state = 'active' AND query LIKE '%pg_sleep(600)' AND pid <> pg_backend_pid()
                    """
                return try server.run(query)[0][0] == "0"
            }
            try await assertAnswers(client)
        }
    }

    /// One statement may be lost, since it is not repeated.
    func testAServerThatStartsAgainIsUsedAgain() async throws {
        let server = try server()
        let client = try client(port: server.port)
        for _ in 0..<3 {
            try await connectAll(client, server)
            try server.restart()
            var failures: [SharedStateError] = []
            for _ in 0..<20 {
                if case .failure(let error) = try await client.answer() { failures.append(error) }
            }
            XCTAssertLessThanOrEqual(failures.count, 1, "\(failures)")
            XCTAssertTrue(failures.allSatisfy { $0.code == .disconnected }, "\(failures)")
        }
    }

    /// While it is down, calls fail at once; when it is back, it is used within the longest pause.
    func testAServerThatIsDownIsNamed() async throws {
        let server = try server()
        let client = try client(port: server.port)
        try await connectAll(client, server)
        try server.restart {
            let codes = expectation(description: "answers")
            Task {
                for _ in 0..<200 {
                    let error = try await client.failure()
                    XCTAssertEqual(error, SharedStateError(.disconnected), "\(error)")
                }
                codes.fulfill()
            }
            wait(for: [codes], timeout: 60)
        }
        try await wait(for: "the server to come back") {
            if case .success = try await client.answer() { true } else { false }
        }
        for _ in 0..<20 { try await assertAnswers(client) }
    }

    /// A connection that the server has ended is noticed before a statement is sent over it.
    func testIdleConnectionsThatTheServerEndsAreNoFailures() async throws {
        let server = try server()
        let client = try client(port: server.port)
        for _ in 0..<10 {
            try await connectAll(client, server)
            let end = """
                SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
                WHERE application_name = 'credkit'
                """
            XCTAssertEqual(try server.run(end), [["4"]])
            for _ in 0..<8 { try await assertAnswers(client) }
        }
    }

    func testTooManyConnectionsAreNamed() async throws {
        let server = try server(["max_connections": "5", "superuser_reserved_connections": "2"])
        let first = try client(port: server.port) { $0.threadCount = 3 }
        try await withThrowingTaskGroup { group in
            for _ in 0..<3 {
                group.addTask {
                    // psql, which counts them below, takes one of the connections for a moment.
                    let refused = Result<[[SQLValue]], SharedStateError>.failure(
                        SharedStateError(.overloaded)
                    )
                    while try await first.answer("SELECT pg_sleep(600)", within: .seconds(8)) == refused {}
                }
            }
            try await wait(for: "all connections to be in use") { try connections(server) == 3 }
            let error = try await client(port: server.port).failure()
            XCTAssertEqual(error, SharedStateError(.overloaded), "\(error)")
            XCTAssertTrue(error.description.contains("53300"), "\(error)")
            try server.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'credkit'"
            )
            try await group.waitForAll()
        }
        // The limit of a role has another message.
        try server.run("ALTER ROLE app CONNECTION LIMIT 0")
        let error = try await client(port: server.port).failure()
        XCTAssertEqual(error, SharedStateError(.overloaded), "\(error)")
    }
}
