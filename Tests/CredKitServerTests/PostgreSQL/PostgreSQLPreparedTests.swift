// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitPostgreSQL
import CredKitServer
import CredKitTestSupport
import XCTest

/// Statements that the server has parsed before: what a session keeps, and what becomes of it.
final class PostgreSQLPreparedTests: PostgreSQLTestCase {
    private static let count = "SELECT pg_catalog.count(*) FROM pg_catalog.pg_prepared_statements"

    /// Returns how many statements the session keeps: one statement after another uses the same session.
    private func kept(_ client: PostgreSQLClient) async throws -> Int64 {
        let rows = try await client.answer(Self.count).get()
        guard case .integer(let count) = rows[0][0] else { return -1 }
        return count
    }

    func testStatementsAreKeptWithoutAPoolOnly() async throws {
        let server = try PostgreSQLServer()
        try server.createRole()
        let direct = try PostgreSQLClient(server)
        // The first answer tells who answers.
        try await assertAnswers(direct)
        for _ in 0..<3 { try await assertAnswers(direct) }
        // The pin, and the two statements.
        var count = try await kept(direct)
        XCTAssertEqual(count, 3)
        for number in 0..<200 { _ = try await direct.answer("SELECT \(number)").get() }
        count = try await kept(direct)
        XCTAssertEqual(count, 64)

        let pgbouncer = try PgBouncer(server, roles: ["app"], password: PostgreSQLClient.password)
        let pooled = try PostgreSQLClient(folder: pgbouncer.folder, port: server.port)
        for _ in 0..<4 { try await assertAnswers(pooled) }
        count = try await kept(pooled)
        XCTAssertEqual(count, 0)
    }

    /// As behind a pool that passes on the number of a server process, and gives the next transaction another one. Its statements
    /// have other names.
    func testAMissingStatementIsSentAgain() async throws {
        let server = try PostgreSQLServer()
        try server.createRole()
        try server.run("CREATE TABLE uses (at timestamptz); GRANT INSERT ON uses TO app")
        let use = "INSERT INTO public.uses VALUES (now())"
        for (round, pattern) in ["%", "INSERT%", "SELECT%"].enumerated() {
            let client = try PostgreSQLClient(server)
            for _ in 0..<3 { _ = try await client.answer(use).get() }
            let names = "SELECT name FROM pg_catalog.pg_prepared_statements WHERE statement LIKE '\(pattern)'"
            let rows = try await client.answer(names).get()
            XCTAssertGreaterThan(rows.count, 0)
            for case .text(let name) in rows.map({ $0[0] }) {
                _ = try await client.answer("DEALLOCATE \(name)")
            }
            for _ in 0..<3 { _ = try await client.answer(use).get() }
            XCTAssertEqual(try server.run("SELECT count(*) FROM uses"), [["\(6 * (round + 1))"]])
            let count = try await kept(client)
            for number in 0..<3 { _ = try await client.answer("SELECT \(number)").get() }
            let later = try await kept(client)
            XCTAssertEqual(later, count)
        }
    }

    /// A function gets other columns, as in another version of a schema.
    func testAChangedFunctionIsUsedAsItIs() async throws {
        let server = try PostgreSQLServer()
        try server.createRole()
        let client = try PostgreSQLClient(server)
        func replace(_ columns: String, _ row: String) throws {
            try server.run(
                """
                DROP FUNCTION IF EXISTS public.f();
                CREATE FUNCTION public.f() RETURNS TABLE (\(columns)) LANGUAGE sql AS $$ SELECT \(row) $$
                """
            )
        }
        for round in 0..<3 {
            try replace("a bigint", "\(round)::bigint")
            for _ in 0..<3 {
                let rows = try await client.answer("SELECT * FROM public.f()").get()
                XCTAssertEqual(rows, [[.integer(Int64(round))]])
            }
            try replace("a bigint, b text", "\(round)::bigint, 'x'::text")
            for _ in 0..<3 {
                let rows = try await client.answer("SELECT * FROM public.f()").get()
                XCTAssertEqual(rows, [[.integer(Int64(round)), .text("x")]])
            }
        }
        // A connection that has kept the old statement is given up: nothing piles up in a session.
        let count = try await kept(client)
        XCTAssertLessThan(count, 6)
    }

    /// Errors of functions with the codes of a missing statement and of changed columns.
    func testAStatementThatFailsIsNotSentAgain() async throws {
        let server = try PostgreSQLServer()
        try server.createRole()
        try server.run("CREATE SEQUENCE uses; GRANT USAGE ON uses TO app")
        let client = try PostgreSQLClient(server)
        for (index, code) in ["0A000", "26000", "25001"].enumerated() {
            try server.run(
                """
                CREATE FUNCTION public.f\(index)() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
                  PERFORM nextval('public.uses'); RAISE EXCEPTION 'of a function' USING ERRCODE = '\(code)';
                END $$
                """
            )
            for _ in 0..<5 {
                let error = try await client.failure("SELECT public.f\(index)()")
                XCTAssertEqual(error.sqlState, code)
            }
        }
        // A statement of the session itself that is missing.
        try server.run(
            """
            CREATE FUNCTION public.g() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
              PERFORM nextval('public.uses'); EXECUTE 'EXECUTE nothing'; RETURN 1;
            END $$
            """
        )
        for _ in 0..<5 {
            let error = try await client.failure("SELECT public.g()")
            XCTAssertEqual(error.sqlState, "26000")
        }
        XCTAssertEqual(try server.run("SELECT nextval('uses')"), [["21"]])
    }

    func testStatementsOfOneUseAreNotKept() async throws {
        let server = try PostgreSQLServer()
        try server.createRole()
        try server.run(
            "CREATE TABLE users (name text PRIMARY KEY, secret text); GRANT SELECT ON users TO app"
        )
        let client = try PostgreSQLClient(server)
        let table = PostgreSQLAccounts.Table("users", schema: "public", name: "name", credential: "secret")
        let accounts = PostgreSQLAccounts(client, table: table, timeLimit: .seconds(10))
        for _ in 0..<100 { _ = try await accounts.account(named: "alice") }
        let count = try await kept(client)
        XCTAssertGreaterThan(count, 3)
        XCTAssertLessThan(count, 16)
    }

    func testNamesAreThoseOfOneConnection() async throws {
        let server = try PostgreSQLServer()
        try server.createRole()
        var names: [[SQLValue]] = []
        for _ in 0..<2 {
            let client = try PostgreSQLClient(server)
            for _ in 0..<3 { try await assertAnswers(client) }
            names += try await client.answer("SELECT name FROM pg_catalog.pg_prepared_statements").get()
        }
        XCTAssertGreaterThan(names.count, 3)
        XCTAssertEqual(Set(names).count, names.count)
    }

    /// Each transaction is at READ COMMITTED.
    func testTheIsolationIsThatOfEachTransaction() async throws {
        let server = try PostgreSQLServer()
        try server.createRole()
        let query = "SELECT current_setting('transaction_isolation')"
        for isolation in ["read committed", "read uncommitted", "serializable"] {
            try server.run("ALTER ROLE app SET default_transaction_isolation = '\(isolation)'")
            let client = try PostgreSQLClient(server)
            for _ in 0..<4 {
                let rows = try await client.answer(query).get()
                XCTAssertEqual(rows, [[.text("read committed")]], isolation)
            }
        }
        try server.run("ALTER ROLE app RESET default_transaction_isolation")
        // A reload gives sessions that are open another default.
        let open = try PostgreSQLClient(server)
        try await assertAnswers(open)
        try server.run(
            "ALTER SYSTEM SET default_transaction_isolation = 'repeatable read'; SELECT pg_reload_conf()"
        )
        try await wait(for: "the reload") {
            try await open.answer("SELECT current_setting('default_transaction_isolation')").get()
                == [[.text("repeatable read")]]
        }
        let rows = try await open.answer(query).get()
        XCTAssertEqual(rows, [[.text("read committed")]])
    }
}
