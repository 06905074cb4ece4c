// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitPostgreSQL
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitServer

/// Users in a table of a real PostgreSQL server.
final class PostgreSQLAccountsTests: XCTestCase {
    private static let equivalent = "97070e99c2efa11e14a1b6f5407b4209"

    private static let table = PostgreSQLAccounts.Table(
        "T\"able",
        schema: "public",
        name: "Name",
        credential: "Secret",
        identifier: "number"
    )

    private func accounts(_ server: PostgreSQLServer, _ columns: String) throws -> PostgreSQLAccounts {
        try server.createRole()
        try server.run(
            """
            CREATE TABLE "T""able" (\(columns), "Secret" text, number bigint);
            GRANT SELECT, UPDATE ("Secret") ON "T""able" TO app;
            """
        )
        return PostgreSQLAccounts(try PostgreSQLClient(server), table: Self.table, timeLimit: .seconds(10))
    }

    private func insert(_ server: PostgreSQLServer, _ name: String, _ secret: String?, _ number: Int = 1)
        throws
    {
        let secret = secret.map { "'\($0)'" } ?? "NULL"
        try server.run(#"INSERT INTO "T""able" VALUES ('\#(name)', \#(secret), \#(number))"#)
    }

    func testUsersAreFoundByTheBytesOfTheirNames() async throws {
        let server = try PostgreSQLServer()
        try server.run("CREATE EXTENSION citext")
        let accounts = try accounts(server, "\"Name\" citext PRIMARY KEY")
        try insert(server, "Alice", Self.equivalent, 7)
        try insert(server, "none", nil)
        try insert(server, "odd", "no credential")
        let alice = try await accounts.account(named: "Alice")
        XCTAssertEqual(alice?.name, "Alice")
        XCTAssertEqual(alice?.credential.text, Self.equivalent)
        let number = try await accounts.identifier(named: "Alice")
        XCTAssertEqual(number, 7)
        let none = try await accounts.account(named: "none")
        XCTAssertEqual(none?.credential, .unusable)
        for name in ["alice", "ALICE", "Alice ", "Alice\0", "", "' OR true --", "%", "Alicé"] {
            let account = try await accounts.account(named: name)
            XCTAssertNil(account, name)
        }
        let odd = try await accounts.account(named: "odd")
        XCTAssertEqual(odd?.credential, .unusable)
        let numbers = try await [accounts.identifier(named: "none"), accounts.identifier(named: "odd")]
        XCTAssertEqual(numbers, [nil, nil])
    }

    /// A role that may create tables waits until the name is free.
    func testAnotherTableOfTheNameIsUsedOnlyIfItHasTheSameOwner() async throws {
        let server = try PostgreSQLServer()
        try server.run(
            "CREATE ROLE keeper; CREATE ROLE mallory; GRANT CREATE ON SCHEMA public TO keeper, mallory"
        )
        let accounts = try accounts(server, "\"Name\" text PRIMARY KEY")
        try server.run(#"ALTER TABLE "T""able" OWNER TO keeper"#)
        try insert(server, "bob", Self.equivalent)
        func number(_ role: String, _ password: String, _ number: Int) throws {
            try server.run(
                """
                SET ROLE \(role); CREATE TABLE "T""able" AS SELECT 'bob' AS "Name", '\(password)' AS "Secret", \(number)::bigint AS number;
                GRANT SELECT, UPDATE ON "T""able" TO app
                """
            )
        }
        func bob() async throws -> Int64? { try await accounts.identifier(named: "bob") }
        let first = try await bob()
        XCTAssertEqual(first, 1)
        // The exchange of a table by its owner.
        try server.run(#"ALTER TABLE "T""able" RENAME TO first"#)
        try number("keeper", Self.equivalent, 2)
        let second = try await bob()
        XCTAssertEqual(second, 2)
        try server.run(#"ALTER TABLE "T""able" RENAME TO second"#)
        await assertThrows(.wrongContent) { _ = try await bob() }
        try number("mallory", "5f4dcc3b5aa765d61d8327deb882cf99", 3)
        let credential = try StoredCredential(Self.equivalent)
        for _ in 0..<2 {
            await assertThrows(.wrongContent) { _ = try await bob() }
            await assertThrows(.wrongContent) { _ = try await accounts.account(named: "bob") }
            await assertThrows(.wrongContent) { _ = try await accounts.sample() }
            await assertThrows(.wrongContent) {
                try await accounts.replace(credential, with: credential, ofAccountNamed: "bob")
            }
        }
        try server.run(#"DROP TABLE "T""able"; ALTER TABLE second RENAME TO "T""able""#)
        let again = try await bob()
        XCTAssertEqual(again, 2)
        // A trigger of the table can divide by zero, too.
        try server.run(
            """
            CREATE FUNCTION public.trap() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM 1 / 0; END';
            CREATE TRIGGER trap BEFORE UPDATE ON "T""able" FOR EACH ROW EXECUTE FUNCTION public.trap()
            """
        )
        await assertThrows(.failed) {
            try await accounts.replace(credential, with: credential, ofAccountNamed: "bob")
        }
    }

    /// A type and its operators can move to another schema, where nothing keeps others from their names any more.
    func testNamesThatMovedAreNotUsed() async throws {
        let server = try PostgreSQLServer()
        try server.run(
            """
            CREATE EXTENSION citext SCHEMA public; CREATE ROLE mallory; GRANT CREATE ON SCHEMA public TO mallory; CREATE SCHEMA ext;
            CREATE SEQUENCE public.caught; GRANT ALL ON SEQUENCE public.caught TO PUBLIC; GRANT USAGE ON SCHEMA ext TO PUBLIC;
            """
        )
        let accounts = try accounts(server, "\"Name\" public.citext PRIMARY KEY")
        try insert(server, "bob", Self.equivalent)
        func bob() async throws -> Int64? { try await accounts.identifier(named: "bob") }
        let first = try await bob()
        XCTAssertEqual(first, 1)
        try server.run(
            """
            ALTER EXTENSION citext SET SCHEMA ext; SET ROLE mallory;
            CREATE FUNCTION public.trap(text, text) RETURNS boolean LANGUAGE plpgsql AS
              'BEGIN PERFORM nextval(''public.caught''); RETURN true; END';
            CREATE DOMAIN public.citext AS text CHECK (public.trap(value, value));
            CREATE OPERATOR public.= (LEFTARG = text, RIGHTARG = text, FUNCTION = public.trap);
            CREATE OPERATOR public.= (LEFTARG = ext.citext, RIGHTARG = ext.citext, FUNCTION = ext.citext_eq);
            """
        )
        let second = try await bob()
        XCTAssertEqual(second, 1)
        // The name of a column that is gone would be that of a function of the row.
        try server.run(
            """
            CREATE FUNCTION public."Secret"("T""able") RETURNS text LANGUAGE plpgsql AS
              'BEGIN PERFORM nextval(''public.caught''); RETURN ''x''; END';
            ALTER FUNCTION public."Secret"("T""able") OWNER TO mallory; ALTER TABLE "T""able" RENAME "Secret" TO other
            """
        )
        for _ in 0..<2 {
            do {
                _ = try await bob()
                XCTFail("nothing was thrown")
            } catch {
                XCTAssertTrue(error is SharedStateError)
            }
        }
        XCTAssertEqual(try server.run("SELECT is_called FROM public.caught"), [["f"]])
    }

    private func assertThrows(
        _ code: SharedStateError.Code,
        line: UInt = #line,
        _ body: () async throws -> Void
    ) async {
        do {
            try await body()
            XCTFail("nothing was thrown", line: line)
        } catch {
            XCTAssertEqual((error as? SharedStateError)?.code, code, "\(error)", line: line)
        }
    }

    /// Others could put another table in its place, or run casts with the rights of the server.
    func testTableThatOthersCouldExchangeIsRefused() async throws {
        let server = try PostgreSQLServer(settings: ["fsync": "on"])
        try server.createRole()
        try server.run(
            """
            CREATE ROLE mallory; CREATE SCHEMA school AUTHORIZATION mallory; GRANT USAGE ON SCHEMA school TO app;
            CREATE TYPE public.name AS ENUM ('bob'); ALTER TYPE public.name OWNER TO mallory;
            CREATE TABLE school.users (name text, secret text); GRANT SELECT ON school.users TO app;
            """
        )
        func error() async throws -> SharedStateError.Code? {
            let table = PostgreSQLAccounts.Table(
                "users",
                schema: "school",
                name: "name",
                credential: "secret"
            )
            do {
                _ = try await PostgreSQLAccounts(
                    PostgreSQLClient(server),
                    table: table,
                    timeLimit: .seconds(10)
                )
                .account(named: "bob")
                return nil
            } catch let error as SharedStateError {
                return error.code
            }
        }
        var code = try await error()
        XCTAssertEqual(code, .wrongContent)
        try server.run("ALTER SCHEMA school OWNER TO postgres")
        code = try await error()
        XCTAssertNil(code)
        try server.run("ALTER TABLE school.users ALTER name TYPE public.name USING name::public.name")
        code = try await error()
        XCTAssertEqual(code, .wrongContent)
    }

    /// PostgreSQL calls by itself what indexes, constraints and policies of a table use, with the rights of the server.
    func testCodeOfOtherRolesIsRefused() async throws {
        let server = try PostgreSQLServer()
        try server.run(
            """
            CREATE ROLE keeper; CREATE ROLE mallory; GRANT CREATE ON SCHEMA public TO keeper, mallory;
            CREATE FUNCTION public.code(text) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT $1';
            CREATE FUNCTION public.keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
            """
        )
        let accounts = try accounts(server, "\"Name\" text PRIMARY KEY, login text")
        try server.run(#"ALTER TABLE "T""able" OWNER TO keeper"#)
        try server.run(
            #"INSERT INTO "T""able" ("Name", "Secret", number) VALUES ('bob', '\#(Self.equivalent)', 1)"#
        )
        let credential = try StoredCredential(Self.equivalent)
        let client = try PostgreSQLClient(server)
        // Accounts that know the table ask each minute.
        func bob() async throws {
            let accounts = PostgreSQLAccounts(client, table: Self.table, timeLimit: .seconds(10))
            _ = try await accounts.identifier(named: "bob")
        }
        func replace() async throws {
            try await accounts.replace(credential, with: credential, ofAccountNamed: "bob")
        }
        for (change, back) in [
            ("CREATE INDEX code ON {t} (public.code(login))", "DROP INDEX code"),
            ("CREATE INDEX code ON {t} (number) WHERE public.code('a') = 'a'", "DROP INDEX code"),
            (
                "ALTER TABLE {t} ADD CONSTRAINT code CHECK (public.code(login) IS NULL)",
                "ALTER TABLE {t} DROP CONSTRAINT code"
            ),
            (
                "ALTER TABLE {t} ADD made text GENERATED ALWAYS AS (public.code(login)) STORED",
                "ALTER TABLE {t} DROP made"
            ),
            (
                "CREATE DOMAIN public.named AS text CHECK (public.code(value) <> ''); ALTER TABLE {t} ADD other public.named",
                "ALTER TABLE {t} DROP other"
            ),
            (
                "CREATE RULE code AS ON UPDATE TO {t} WHERE public.code(new.login) <> '' DO INSTEAD NOTHING",
                "DROP RULE code ON {t}"
            ),
            ("CREATE POLICY code ON {t} USING (public.code(login) IS NULL)", "DROP POLICY code ON {t}"),
            ("CREATE STATISTICS public.code ON (public.code(login)) FROM {t}", "DROP STATISTICS public.code"),
        ] {
            try server.run("ALTER FUNCTION public.code(text) OWNER TO keeper")
            try server.run("SET ROLE keeper; " + change.replacing("{t}", with: "\"T\"\"able\""))
            try await bob()
            try server.run("ALTER FUNCTION public.code(text) OWNER TO mallory")
            await assertThrows(.wrongContent) { try await bob() }
            await assertThrows(.wrongContent) { try await replace() }
            try server.run("SET ROLE keeper; " + back.replacing("{t}", with: "\"T\"\"able\""))
            try await bob()
        }
        // Conversions to JSON find the casts of a type when they run.
        try server.run(
            #"SET ROLE keeper; CREATE TYPE public.state AS ENUM ('a'); ALTER TABLE "T""able" ADD state public.state"#
        )
        try await bob()
        try server.run("ALTER TYPE public.state OWNER TO mallory")
        await assertThrows(.wrongContent) { try await bob() }
        try server.run(#"ALTER TABLE "T""able" DROP state"#)
        // A change that cascades runs the triggers there.
        try server.run(
            """
            ALTER TABLE "T""able" ADD UNIQUE (login); GRANT REFERENCES ON "T""able" TO mallory; SET ROLE mallory;
            CREATE TABLE public.child (l text REFERENCES "T""able" (login) ON UPDATE CASCADE)
            """
        )
        try await bob()
        await assertThrows(.wrongContent) { try await replace() }
        try server.run("DROP TABLE public.child")
        // Only a change runs triggers.
        try server.run(
            """
            CREATE TRIGGER keep BEFORE UPDATE ON "T""able" FOR EACH ROW EXECUTE FUNCTION public.keep();
            ALTER FUNCTION public.keep() OWNER TO mallory
            """
        )
        try await bob()
        await assertThrows(.wrongContent) { try await replace() }
        try server.run("ALTER FUNCTION public.keep() OWNER TO keeper")
        try await replace()
    }

    func testTwoRowsOfOneNameAreAnError() async throws {
        let server = try PostgreSQLServer()
        let accounts = try accounts(server, "\"Name\" text")
        try insert(server, "bob", Self.equivalent)
        try insert(server, "bob", nil)
        do {
            _ = try await accounts.account(named: "bob")
            XCTFail("two users of one name")
        } catch let error as SharedStateError {
            XCTAssertEqual(error.code, .wrongContent)
        }
    }

    /// A password that was changed in the meantime stays.
    func testACredentialIsReplacedOnlyIfItIsStillThere() async throws {
        let server = try PostgreSQLServer()
        let accounts = try accounts(server, "\"Name\" text UNIQUE")
        try insert(server, "bob", Self.equivalent)
        let (old, new) = try (
            StoredCredential(Self.equivalent), StoredCredential(String(repeating: "ab", count: 16))
        )
        try await accounts.replace(new, with: .unusable, ofAccountNamed: "bob")
        var stored = try await accounts.account(named: "bob")
        XCTAssertEqual(stored?.credential, old)
        try await accounts.replace(old, with: new, ofAccountNamed: "bob")
        try await accounts.replace(old, with: .unusable, ofAccountNamed: "bob")
        stored = try await accounts.account(named: "bob")
        XCTAssertEqual(stored?.credential, new)
    }

    func testIndexesOfAllKindsOfNamesAreUsed() async throws {
        let server = try PostgreSQLServer()
        try server.createRole()
        try server.run("CREATE EXTENSION citext; CREATE DOMAIN names AS text; CREATE DOMAIN loose AS citext")
        for type in ["text", "varchar", "char(20)", "name", "citext", "names", "loose"] {
            try server.run(
                """
                CREATE TABLE users (id \(type) PRIMARY KEY, secret text); GRANT SELECT ON users TO app;
                INSERT INTO users SELECT 'user' || g, 'x' FROM generate_series(1, 5000) g; ANALYZE users;
                """
            )
            let table = PostgreSQLAccounts.Table("users", schema: "public", name: "id", credential: "secret")
            let accounts = PostgreSQLAccounts(
                try PostgreSQLClient(server),
                table: table,
                timeLimit: .seconds(10)
            )
            let account = try await accounts.account(named: "user77")
            XCTAssertEqual(account?.name, "user77", type)
            let statement = try await accounts.statements(within: .seconds(10)).selection.text
            let plan = try server.run("EXPLAIN " + statement.replacing("$1", with: "'user77'"))
            XCTAssertTrue(plan.contains { $0[0].contains("Index") }, "\(type): \(plan)")
            try server.run("DROP TABLE users")
        }
    }

    func testCredentialsAreSampled() async throws {
        let server = try PostgreSQLServer()
        let accounts = try accounts(server, "\"Name\" text UNIQUE")
        func verifier(_ iterations: Int, _ saltByteCount: Int) -> String {
            let salt = Data(repeating: 1, count: saltByteCount).base64EncodedString()
            let key = Data(repeating: 2, count: 32).base64EncodedString()
            return "SCRAM-SHA-256$\(iterations):\(salt)$\(key):\(key)"
        }
        for (number, (iterations, salt)) in [(4096, 16), (4096, 16), (4096, 8), (5000, 16)].enumerated() {
            try insert(server, "user\(number)", verifier(iterations, salt))
        }
        try insert(server, "bob", Self.equivalent)
        try insert(server, "carol", "no credential")
        let sample = try await accounts.sample()
        XCTAssertEqual(sample.count, 5)
        XCTAssertEqual(SCRAM.MockVerifiers.Kind.counted(in: sample).map(\.count).sorted(), [1, 1, 2])
    }

    /// The setting of the role limits logins, not what runs once at a start.
    func testASampleMayTakeLongerThanALogin() async throws {
        let server = try PostgreSQLServer()
        try server.createRole()
        try server.run(
            """
            CREATE TABLE rows ("Name" text UNIQUE, "Secret" text, number bigint);
            INSERT INTO rows VALUES ('bob', '\(Self.equivalent)', 1);
            CREATE VIEW "T""able" AS SELECT rows.* FROM rows, pg_catalog.pg_sleep(1);
            GRANT SELECT ON "T""able" TO app; ALTER ROLE app SET statement_timeout = '500ms'
            """
        )
        let accounts = PostgreSQLAccounts(try PostgreSQLClient(server), table: Self.table)
        let sample = try await accounts.sample()
        XCTAssertEqual(sample.map(\.text), [Self.equivalent])
        await assertThrows(.timedOut) { _ = try await accounts.account(named: "bob") }
    }
}
