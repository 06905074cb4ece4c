// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitPostgreSQL
import CredKitSystem
import CredKitTestSupport
import XCTest

@testable import CredKitServer

/// The problems that keep a server from starting, each provoked in a real PostgreSQL server.
final class PostgreSQLStartCheckTests: XCTestCase {
    private func configuration() throws -> SharedStateConfiguration {
        try SharedStateConfiguration(key: [UInt8](repeating: 7, count: 32), timeLimit: .seconds(10))
    }

    private func assertProblems(
        _ codes: Set<String>,
        _ server: PostgreSQLServer,
        clock: EngineClock? = nil,
        line: UInt = #line
    ) async throws {
        // A new connection, so that changed settings count.
        let engine = SQLEngine(try PostgreSQLClient(server), try configuration(), clock: clock)
        let problems = try await PostgreSQLStartCheck(engine).problems()
        XCTAssertEqual(Set(problems.map(\.code)), codes, "\(problems)", line: line)
    }

    func testProblemsAreFound() async throws {
        let timeouts: Set = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]
        let server = try PostgreSQLServer(settings: ["fsync": "off", "full_page_writes": "off"])
        try server.createRole()
        try await assertProblems(timeouts.union(["fsync", "full_page_writes", "schemaMissing"]), server)
        server.stop()

        let good = try PostgreSQLServer(settings: ["fsync": "on"])
        func set(_ name: String, _ value: String) throws {
            try good.run("ALTER DATABASE postgres SET \(name) = '\(value)'")
        }
        try good.createRole()
        try good.run(SQLSchema(configuration()).script(role: "app"))
        try await assertProblems([], good)
        // The script sets them for the role.
        for name in timeouts.sorted() {
            try good.run("ALTER ROLE app SET \(name) = '11s'")
            try await assertProblems([name], good)
            try good.run("ALTER ROLE app SET \(name) = '10s'")
        }
        try set("synchronous_commit", "off")
        try await assertProblems(["synchronous_commit"], good)
        try set("synchronous_commit", "on")
        try set("default_transaction_isolation", "serializable")
        try await assertProblems(["isolation"], good)
        try set("default_transaction_isolation", "read committed")
        for (version, code) in [(0, "schemaOlder"), (99, "schemaNewer")] {
            try good.run("UPDATE credkit.version SET version = \(version)")
            try await assertProblems([code], good)
        }
        try good.run("UPDATE credkit.version SET version = 1")
        for hours in [-1, 1] {
            let clock = EngineClock(permittedDifference: .seconds(5)) {
                .microseconds(SystemClock.microseconds()) + .seconds(3600 * hours)
            }
            try await assertProblems(["clocksDiffer"], good, clock: clock)
        }
        // The owner of a function can replace it with one that reads the users.
        for object in ["FUNCTION credkit.revoke(bytea)", "TABLE credkit.rates", "SCHEMA credkit"] {
            try good.run("CREATE ROLE mallory; ALTER \(object) OWNER TO mallory")
            try await assertProblems(["owner"], good)
            try good.run("ALTER \(object) OWNER TO postgres; DROP OWNED BY mallory; DROP ROLE mallory")
        }
        try good.run("REVOKE EXECUTE ON FUNCTION credkit.revoke(bytea) FROM app")
        try await assertProblems(["rights"], good)
        try good.run("REVOKE USAGE ON SCHEMA credkit FROM app")
        try await assertProblems(["rights"], good)
    }

    /// What cannot be provoked with one server of this version.
    func testOtherFacts() throws {
        let good = [
            "150000", "on", "on", "on", "", "false", "read committed", "300 300 300", "true", "true", "", "",
        ]
        func codes(_ index: Int, _ value: String, _ other: (Int, String)? = nil) -> [String]? {
            var facts = good
            facts[index] = value
            if let other { facts[other.0] = other.1 }
            return PostgreSQLFacts(facts, timeLimit: .milliseconds(300))?.problems.map(\.code)
        }
        XCTAssertEqual(codes(0, "150000"), [])
        XCTAssertEqual(codes(0, "120020"), ["serverVersion"])
        XCTAssertEqual(codes(5, "true"), ["standby"])
        XCTAssertEqual(codes(3, "local"), [])
        XCTAssertEqual(codes(3, "local", (4, "a")), ["synchronous_commit"])
        XCTAssertEqual(codes(7, "0 301 300"), ["idle_in_transaction_session_timeout", "lock_timeout"])
        XCTAssertEqual(codes(11, "mallory"), ["owner"])
        XCTAssertNil(codes(7, "300 300"))
        XCTAssertNil(codes(0, "x"))
    }
}
