// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitPostgreSQL
import CredKitTestSupport
import XCTest

@testable import CredKitServer

/// A shared state and a table of users in a database where other roles can create functions, operators, schemas and tables.
final class PostgreSQLAttackTests: XCTestCase {
    private func configuration() throws -> SharedStateConfiguration {
        try SharedStateConfiguration(key: [UInt8](repeating: 7, count: 32), timeLimit: .seconds(10))
    }

    /// Types of columns with names. Those of another schema than `pg_catalog` have their operators there.
    private let types = ["text", "varchar", "char(20)", "name", "public.citext", "app.named"]

    /// Uses everything that a server does.
    private func use(_ server: PostgreSQLServer) async throws {
        let client = try PostgreSQLClient(server)
        let problems = try await PostgreSQLStartCheck(client, configuration: configuration()).problems()
        XCTAssertEqual(problems.map(\.code), [])
        for function in SQLFunction.allCases {
            let parameters = function.types.map { type in
                switch type {
                case "bytea":
                    SQLValue.bytes([UInt8](repeating: 65, count: 8 * (function == .advance ? 1 : 4)))
                case "text": SQLValue.text("1,2")
                default: SQLValue.integer(1000)
                }
            }
            let statement = function.statement(in: "credkit")
            let rows = try await client.run(statement, parameters: parameters, within: .seconds(10))
            XCTAssertFalse(rows.isEmpty, statement.text)
        }
        for (number, _) in types.enumerated() {
            let table = PostgreSQLAccounts.Table(
                "users\(number)",
                schema: "app",
                name: "id",
                credential: "secret"
            )
            let accounts = PostgreSQLAccounts(client, table: table, timeLimit: .seconds(10))
            let bob = try await accounts.account(named: "bob")
            let credential = try XCTUnwrap(bob).credential
            try await accounts.replace(credential, with: credential, ofAccountNamed: "bob")
            let others = try await (
                accounts.identifier(named: "bob"), accounts.sample(), accounts.account(named: "BOB")
            )
            XCTAssertEqual(others.0, 0)
            XCTAssertNil(others.2)
        }
    }

    func testFunctionsAndOperatorsOfOtherRolesAreNotCalled() async throws {
        let server = try PostgreSQLServer(
            settings: PostgreSQLServer.recordsStatements.merging(["fsync": "on"]) { $1 }
        )
        try server.createRole()
        try server.run(SQLSchema(configuration()).script(role: "app"))
        try server.run(
            "CREATE SCHEMA app; CREATE EXTENSION citext; CREATE DOMAIN app.named AS text; GRANT USAGE ON SCHEMA app TO app"
        )
        for (number, type) in types.enumerated() {
            try server.run(
                """
                CREATE TABLE app.users\(number) (id \(type) PRIMARY KEY, secret text);
                INSERT INTO app.users\(number) VALUES ('bob', '97070e99c2efa11e14a1b6f5407b4209');
                GRANT SELECT, UPDATE ON app.users\(number) TO app;
                """
            )
        }
        try await use(server)
        let names = try server.names(inStatementsOf: "= 'app'")
        XCTAssertTrue(names.operators.isSuperset(of: ["=", "||", "*"]), "\(names.operators)")
        XCTAssertTrue(
            names.functions.isSuperset(of: ["current_setting", "unnest", "set_config"])
        )
        let count = try server.plantDecoys(
            names,
            types: [
                "oid", "int4", "int8", "text", "bpchar", "varchar", "name", "bytea", "bool", "\"char\"",
                "numeric",
                "public.citext", "app.named",
            ]
        )
        XCTAssertGreaterThan(count, 2000)
        for path in ["\"$user\", public", "public, pg_catalog"] {
            try server.run("ALTER ROLE app SET search_path = \(path)")
            try await use(server)
            XCTAssertNil(try server.calledDecoy(), path)
        }
    }

    /// Who owns the schema, or something in it, can replace what the servers call.
    func testScriptFailsOnObjectsOfOtherRoles() async throws {
        let server = try PostgreSQLServer(settings: ["fsync": "on"])
        try server.createRole()
        try server.run(
            "CREATE ROLE mallory; CREATE ROLE keeper; GRANT CREATE ON DATABASE postgres TO keeper, mallory"
        )
        let script = try SQLSchema(configuration()).script(role: "app")
        func assertRefused(_ text: String, _ owner: String = "mallory", line: UInt = #line) {
            XCTAssertThrowsError(try server.run(text + script), line: line) { error in
                XCTAssertTrue("\(error)".contains("belongs to \(owner)"), "\(error)", line: line)
            }
        }
        func assertRefused(attaching text: String, line: UInt = #line) throws {
            try server.run(text)
            XCTAssertThrowsError(try server.run(script), line: line) { error in
                XCTAssertTrue("\(error)".contains("not one of this script"), "\(error)", line: line)
            }
        }
        try server.run("CREATE SCHEMA credkit AUTHORIZATION mallory")
        assertRefused("")
        XCTAssertEqual(
            try server.run("SELECT count(*) FROM pg_class WHERE relnamespace = 'credkit'::regnamespace"),
            [["0"]]
        )
        try server.run("DROP SCHEMA credkit")
        // Its owner is another one than the role that runs it again.
        try server.run("SET ROLE keeper; " + script.replacing(/ALTER ROLE [^;]*;/, with: ""))
        assertRefused("", "keeper")
        try server.run(
            "DROP SCHEMA credkit CASCADE; ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO mallory"
        )
        assertRefused("")
        try server.run("ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM mallory; " + script)
        assertRefused("GRANT EXECUTE ON FUNCTION credkit.revoke(bytea) TO mallory; ")
        try server.run("REVOKE EXECUTE ON FUNCTION credkit.revoke(bytea) FROM mallory; " + script)
        try server.run("GRANT ALL ON SCHEMA credkit TO mallory")
        for object in [
            "CREATE TABLE credkit.locks2 ()",
            "CREATE FUNCTION credkit.mark(text) RETURNS int LANGUAGE sql AS 'SELECT 1'",
            "CREATE TYPE credkit.bytea AS ENUM ()", "CREATE VIEW credkit.v AS SELECT 1",
            "CREATE DOMAIN credkit.d AS text",
            "CREATE OPERATOR credkit.= (LEFTARG = text, RIGHTARG = text, FUNCTION = texteq)",
        ] {
            try server.run("SET ROLE mallory; \(object)")
            assertRefused("")
            try server.run("DROP OWNED BY mallory; GRANT ALL ON SCHEMA credkit TO mallory")
        }
        // It could put something there after the check.
        assertRefused("")
        try server.run("REVOKE ALL ON SCHEMA credkit FROM mallory; GRANT CREATE ON SCHEMA credkit TO PUBLIC")
        XCTAssertThrowsError(try server.run(script))
        try server.run("REVOKE CREATE ON SCHEMA credkit FROM PUBLIC; " + script)
        // What is attached to a table stays when the table gets another owner.
        try assertRefused(
            attaching: """
                CREATE FUNCTION public.trap() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
                CREATE TRIGGER trap BEFORE INSERT ON credkit.locks FOR EACH ROW EXECUTE FUNCTION public.trap()
                """
        )
        try server.run("DROP TRIGGER trap ON credkit.locks")
        try assertRefused(attaching: "CREATE RULE trap AS ON INSERT TO credkit.version DO ALSO SELECT 1")
        try server.run("DROP RULE trap ON credkit.version")
        try assertRefused(attaching: "CREATE POLICY trap ON credkit.version USING (true)")
        try server.run("DROP POLICY trap ON credkit.version; " + script)
        try server.run("CREATE FUNCTION public.yes() RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true'")
        for (attaching, detaching) in [
            (
                "ALTER TABLE credkit.rates ADD CONSTRAINT trap CHECK (public.yes())",
                "ALTER TABLE credkit.rates DROP CONSTRAINT trap"
            ),
            (
                "ALTER TABLE credkit.rates ADD CHECK (query_to_xml('SELECT public.yes()', true, true, '') IS NOT NULL)",
                "ALTER TABLE credkit.rates DROP CONSTRAINT rates_check"
            ),
            (
                "ALTER TABLE credkit.version ALTER one SET DEFAULT public.yes()",
                "ALTER TABLE credkit.version ALTER one SET DEFAULT true"
            ),
            (
                "ALTER TABLE credkit.rates ADD trap boolean GENERATED ALWAYS AS (public.yes()) STORED",
                "ALTER TABLE credkit.rates DROP trap"
            ),
            ("CREATE INDEX trap ON credkit.rates (public.yes())", "DROP INDEX credkit.trap"),
            ("CREATE INDEX trap ON credkit.rates (free_at) WHERE public.yes()", "DROP INDEX credkit.trap"),
            ("CREATE TABLE public.heir () INHERITS (credkit.rates)", "DROP TABLE public.heir"),
            (
                "CREATE DOMAIN public.number AS bigint CHECK (public.yes()); ALTER TABLE credkit.rates ALTER free_at TYPE public.number",
                "ALTER TABLE credkit.rates ALTER free_at TYPE bigint"
            ),
            (
                "ALTER TABLE credkit.rates ENABLE ROW LEVEL SECURITY",
                "ALTER TABLE credkit.rates DISABLE ROW LEVEL SECURITY"
            ),
        ] {
            try assertRefused(attaching: attaching)
            try server.run(detaching + "; " + script)
        }
        for (attaching, detaching) in [
            (
                "CREATE UNLOGGED TABLE public.heir (n bigint REFERENCES credkit.challenges (number) ON DELETE CASCADE)",
                "DROP TABLE public.heir"
            ),
            (
                "CREATE STATISTICS public.trap ON (public.yes()), key FROM credkit.rates",
                "DROP STATISTICS public.trap"
            ),
            ("CREATE VIEW public.trap AS SELECT credkit.history()", "DROP VIEW public.trap"),
            (
                "CREATE EXTENSION tcn; ALTER EXTENSION tcn ADD SCHEMA credkit",
                "ALTER EXTENSION tcn DROP SCHEMA credkit"
            ),
            ("CREATE PUBLICATION trap FOR TABLE credkit.rates", "DROP PUBLICATION trap"),
            (
                "ALTER TABLE credkit.sessions ALTER number SET INCREMENT BY -1",
                "ALTER TABLE credkit.sessions ALTER number SET INCREMENT BY 1"
            ),
            (
                "ALTER TABLE credkit.counters DROP CONSTRAINT counters_counter_check",
                "ALTER TABLE credkit.counters ADD CONSTRAINT counters_counter_check CHECK (length(counter) = 8)"
            ),
            ("ALTER TABLE credkit.rates SET UNLOGGED", "ALTER TABLE credkit.rates SET LOGGED"),
        ] {
            try assertRefused(attaching: attaching)
            try server.run(detaching + "; " + script)
        }
        try server.run("GRANT TRIGGER ON credkit.rates TO mallory")
        assertRefused("")
        try server.run(
            "REVOKE ALL ON credkit.rates FROM mallory; GRANT UPDATE (free_at) ON credkit.rates TO mallory"
        )
        assertRefused("")
        try server.run("REVOKE ALL ON credkit.rates FROM mallory; " + script)
    }

    /// A schema, a table of its version or of users that another role makes is not used, and nothing of it runs: not even as a
    /// statement is planned.
    func testNothingOfAnExchangedSchemaOrTableRuns() async throws {
        let server = try PostgreSQLServer(settings: ["fsync": "on"])
        try server.createRole()
        try server.run(
            """
            CREATE ROLE mallory; GRANT CREATE ON DATABASE postgres TO mallory; GRANT ALL ON SCHEMA public TO mallory;
            CREATE SEQUENCE public.trapped; GRANT ALL ON SEQUENCE public.trapped TO PUBLIC;
            CREATE FUNCTION public.spring(bytea) RETURNS TABLE (answered bigint, user_name bytea) IMMUTABLE LANGUAGE plpgsql AS
              'BEGIN PERFORM nextval(''public.trapped''); RETURN QUERY SELECT 1000000::bigint, ''admin''::bytea; END';
            CREATE FUNCTION public.leap() RETURNS text IMMUTABLE LANGUAGE plpgsql AS
              'BEGIN PERFORM nextval(''public.trapped''); RETURN ''bob''; END';
            CREATE TABLE public.users (name text PRIMARY KEY, secret text); GRANT SELECT ON public.users TO app;
            """
        )
        let script = try SQLSchema(configuration()).script(role: "app")
        let client = try PostgreSQLClient(server)
        let check = try PostgreSQLStartCheck(client, configuration: configuration())
        let trap = """
            SET ROLE mallory; CREATE SCHEMA credkit; CREATE VIEW credkit.version AS SELECT length(public.leap()) AS version;
            CREATE FUNCTION credkit.user_of(bytea) RETURNS TABLE (answered bigint, user_name bytea) IMMUTABLE LANGUAGE sql AS
              'SELECT * FROM public.spring($1)';
            GRANT USAGE ON SCHEMA credkit TO app; GRANT SELECT ON credkit.version TO app
            """
        try server.run(trap)
        let problems = try await check.problems()
        XCTAssertTrue(problems.contains { $0.code == "owner" }, "\(problems)")
        try server.run("DROP SCHEMA credkit CASCADE; " + script)
        let engine = SQLEngine(client, try configuration())
        let sessions = PostgreSQLSessionStore(engine)
        func user() async throws -> String? { try await sessions.user(of: StoreKey("x")) }
        let before = try await user()
        XCTAssertNil(before)
        try server.run("DROP SCHEMA credkit CASCADE; " + trap)
        // Also by a part of the server that has not used the schema before.
        let later = try PostgreSQLSessionStore(SQLEngine(client, configuration()))
        for store in [sessions, sessions, later, later] {
            do {
                let user = try await store.user(of: StoreKey("x"))
                XCTFail("\(user ?? "none")")
            } catch let error as SharedStateError {
                XCTAssertEqual(error.code, .wrongContent)
            }
        }
        try server.run("DROP SCHEMA credkit CASCADE; " + script)
        let after = try await user()
        XCTAssertNil(after)

        let table = PostgreSQLAccounts.Table("users", schema: "public", name: "name", credential: "secret")
        let accounts = PostgreSQLAccounts(client, table: table, timeLimit: .seconds(10))
        let bob = try await accounts.account(named: "bob")
        XCTAssertNil(bob)
        let policy =
            "CREATE POLICY p ON public.users USING (public.leap() = 'bob'); ALTER TABLE public.users ENABLE ROW LEVEL SECURITY"
        for table in [
            "CREATE VIEW public.users AS SELECT public.leap() AS name, 'x' AS secret",
            "CREATE TABLE public.users (name text, secret text); \(policy)",
        ] {
            try server.run(
                "DROP TABLE IF EXISTS public.users_old; ALTER TABLE public.users RENAME TO users_old; SET ROLE mallory; \(table); GRANT SELECT ON public.users TO app"
            )
            do {
                _ = try await accounts.account(named: "bob")
                XCTFail("another table was used")
            } catch let error as SharedStateError {
                XCTAssertEqual(error.code, .wrongContent)
            }
            try server.run(
                "DROP OWNED BY mallory; GRANT ALL ON SCHEMA public TO mallory; ALTER TABLE public.users_old RENAME TO users"
            )
        }
        XCTAssertEqual(try server.run("SELECT is_called FROM public.trapped"), [["f"]])
    }

    /// A role that may only connect sees the locks of others in `pg_locks`, and could take advisory ones.
    func testOtherRolesCannotTakeTheLocks() async throws {
        let server = try PostgreSQLServer(settings: ["fsync": "on"])
        try server.createRole()
        try server.createRole("eve")
        try server.run(SQLSchema(configuration()).script(role: "app"))
        let held = try server.run(
            """
            BEGIN; SELECT credkit.charge(decode(repeat('41', 32), 'hex'), '1000,2000', 0);
            SELECT DISTINCT locktype FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory'; COMMIT;
            """
        )
        XCTAssertEqual(held.count, 1, "\(held)")
        for statement in [
            "SELECT FROM credkit.locks FOR UPDATE", "BEGIN; LOCK TABLE credkit.locks",
            "SELECT credkit.hold_missing(1)",
            "SELECT credkit.charge('', '', 0)",
        ] {
            let attempt = try server.logIn(
                role: "eve",
                password: Array(PostgreSQLClient.password.utf8),
                sql: statement
            )
            XCTAssertNotEqual(attempt.status, 0, statement)
            XCTAssertTrue(attempt.errors.contains("permission denied"), attempt.errors)
        }
        // As after a crash.
        try server.run("TRUNCATE credkit.locks")
        try await use(functionsOf: server)
        XCTAssertNotEqual(try server.run("SELECT count(*) FROM credkit.locks"), [["0"]])
    }

    private func use(functionsOf server: PostgreSQLServer) async throws {
        let engine = SQLEngine(try PostgreSQLClient(server), try configuration())
        let sessions = PostgreSQLSessionStore(engine)
        try await withThrowingTaskGroup { group in
            for number in 0..<200 {
                group.addTask { try await sessions.revokeAll(of: "user \(number % 20)") }
            }
            try await group.waitForAll()
        }
    }
}
