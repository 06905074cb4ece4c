// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitPostgreSQL
import CredKitTestSupport
import XCTest

@testable import CredKitServer

/// The client and the start check behind pgbouncer.
final class PgBouncerTests: PostgreSQLTestCase {
    func testALateStatementIsCancelled() async throws {
        let server = try PostgreSQLServer()
        try server.createRole()
        let pgbouncer = try PgBouncer(server, roles: ["app"], password: PostgreSQLClient.password)
        let client = try PostgreSQLClient(folder: pgbouncer.folder, port: server.port)
        try await assertAnswers(client)
        let error = try await client.failure("SELECT pg_sleep(600)", within: .milliseconds(300))
        XCTAssertEqual(error, SharedStateError(.timedOut), "\(error)")
        try await wait(for: "the statement to be cancelled") {
            let query = """
                SELECT count(*) FROM pg_stat_activity
                WHERE state = 'active' AND query LIKE '%pg_sleep(600)' AND pid <> pg_backend_pid()
                """
            return try server.run(query) == [["0"]]
        }
        try await assertAnswers(client)
    }

    /// The time limits are the role's, which a connection of pgbouncer has as well.
    func testTheStartCheckSeesTheTimeLimits() async throws {
        let server = try PostgreSQLServer(settings: ["fsync": "on"])
        try server.createRole()
        let configuration = try SharedStateConfiguration(
            key: [UInt8](repeating: 7, count: 32),
            timeLimit: .seconds(10)
        )
        try server.run(SQLSchema(configuration).script(role: "app"))
        func problems() async throws -> Set<String> {
            let pgbouncer = try PgBouncer(server, roles: ["app"], password: PostgreSQLClient.password)
            let client = try PostgreSQLClient(folder: pgbouncer.folder, port: server.port)
            let problems = try await PostgreSQLStartCheck(SQLEngine(client, configuration)).problems()
            // It ends after its client.
            _ = pgbouncer
            return Set(problems.map(\.code))
        }
        var found = try await problems()
        XCTAssertEqual(found, [])
        try server.run("ALTER ROLE app SET lock_timeout = '11s'")
        found = try await problems()
        XCTAssertEqual(found, ["lock_timeout"])
        try server.run("ALTER ROLE app RESET ALL")
        found = try await problems()
        XCTAssertEqual(found, ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"])
    }

    func testRefusalsOfPgBouncerAreNamed() async throws {
        let server = try PostgreSQLServer()
        try server.createRole()
        try server.createRole("other")
        let pgbouncer = try PgBouncer(server, roles: ["app"], password: PostgreSQLClient.password)
        let unknown = try PostgreSQLClient(folder: pgbouncer.folder, port: server.port, role: "other")
        let error = try await unknown.failure()
        XCTAssertEqual(error, SharedStateError(.loginFailed), "\(error)")
        let client = try PostgreSQLClient(folder: pgbouncer.folder, port: server.port)
        try await assertAnswers(client)
        server.stop()
        for _ in 0..<3 {
            // It waits for a server for longer than a statement may take.
            let error = try await client.failure(within: .seconds(2))
            XCTAssertTrue([.disconnected, .timedOut].contains(error.code), "\(error.code): \(error)")
        }
    }
}
