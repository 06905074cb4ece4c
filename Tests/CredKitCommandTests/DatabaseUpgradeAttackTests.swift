// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import XCTest

/// `credkit upgrade --database` in a database where other roles can create functions, operators, schemas and tables: what they
/// have created would run with the rights of the upgrading role.
final class DatabaseUpgradeAttackTests: XCTestCase {
    private var shell: Shell?
    private var server: PostgreSQLServer?

    override func setUpWithError() throws {
        shell = try Shell()
        server = try PostgreSQLServer(settings: PostgreSQLServer.recordsStatements)
    }

    override func tearDown() {
        shell?.remove()
        server?.stop()
    }

    /// MD5 of "secret".
    private let md5 = "5ebe2294ecd0e0f08eab7690d2a6ee69"

    private func upgrade(_ table: String, _ arguments: String = "", role: String = "postgres") throws
        -> Shell.Outcome
    {
        let server = try XCTUnwrap(server)
        return try XCTUnwrap(shell).run(
            """
            export PGHOST=\(server.folder.path) PGPORT=\(server.port) PGUSER=\(role) PGPASSWORD=pw
            credkit upgrade --database dbname=postgres --table \(table) --id-column id --hash-column hash --as md5 \
                --memory 64KiB --passes 1 --batch 2 \(arguments)
            """
        )
    }

    /// Types of identifiers; those after the first eight have their operators or their names in other schemas.
    private let types = [
        ("bigint", ["-1", "0", "7"]), ("integer", ["1", "2", "3"]), ("text", ["a", "b", "c"]),
        ("varchar(20)", ["a", "b", "c"]), ("char(5)", ["a", "b", "c"]), ("name", ["a", "b", "c"]),
        ("uuid", [0, 1, 2].map { "00000000-0000-0000-0000-00000000000\($0)" }),
        ("numeric", ["1.5", "2", "1e30"]), ("app.mood", ["sad", "ok", "glad"]),
        ("app.named", ["a", "b", "c"]),
        ("public.citext", ["a", "B", "c"]), ("app.short", ["a", "B", "c"]), ("public.spot", ["a", "b", "c"]),
    ]

    private func createTable(_ type: String, _ values: [String], of owner: String = "postgres") throws {
        let rows = values.map { "('\($0)', '\(md5)')" }.joined(separator: ",")
        try XCTUnwrap(server).run(
            """
            SET search_path = pg_catalog;
            DROP TABLE IF EXISTS app.users; CREATE TABLE app.users (id \(type) PRIMARY KEY, hash text);
            INSERT INTO app.users VALUES \(rows); ALTER TABLE app.users OWNER TO \(owner);
            """
        )
    }

    func testFunctionsAndOperatorsOfOtherRolesAreNotCalled() throws {
        let server = try XCTUnwrap(server)
        try server.run(
            """
            CREATE SCHEMA app; CREATE EXTENSION citext SCHEMA public; CREATE TYPE app.mood AS ENUM ('sad', 'ok', 'glad');
            CREATE DOMAIN app.named AS text; CREATE DOMAIN app.short AS public.citext CHECK (length(value) < 9);
            CREATE DOMAIN public.spot AS varchar(3);
            """
        )
        for (type, values) in types {
            try createTable(type, values)
            let before = try upgrade("app.users")
            XCTAssertEqual(before.status, 0, "\(type): \(before.errors)")
        }
        let names = try server.names(inStatementsOf: "= 'postgres'")
        XCTAssertTrue(names.operators.isSuperset(of: ["=", "<=", "||", "+"]), "\(names.operators)")
        XCTAssertTrue(
            names.functions.isSuperset(of: ["convert_to", "unnest", "make_interval", "format_type"])
        )
        let count = try server.plantDecoys(
            names,
            types: [
                "oid", "int2", "int4", "int8", "text", "bpchar", "varchar", "name", "bytea", "bool",
                "\"char\"",
                "interval", "timestamptz", "float8", "uuid", "numeric", "app.mood", "app.named",
                "public.citext",
                "app.short", "public.spot",
            ]
        )
        XCTAssertGreaterThan(count, 5000)
        for path in ["\"$user\", public", "public, pg_catalog"] {
            try server.run("ALTER ROLE postgres SET search_path = \(path)")
            for (type, values) in types {
                try createTable(type, values)
                for arguments in ["--dry-run", ""] {
                    let outcome = try upgrade("app.users", arguments)
                    XCTAssertEqual(outcome.status, 0, "\(type): \(outcome.errors)")
                    XCTAssertTrue(outcome.errors.contains("3 hashes"), "\(type): \(outcome.errors)")
                    XCTAssertNil(try server.calledDecoy(), "\(type), \(path) \(arguments)")
                }
            }
        }
        // The decoys do work.
        try server.run("SELECT 1::int2 = 1::text FROM pg_catalog.set_config('search_path', 'public', false)")
        XCTAssertNotNil(try server.calledDecoy())
    }

    /// A trigger of the table runs as it does for each other client: with the search path of the role.
    func testTriggersOfTheTableFindTheirTables() throws {
        let server = try XCTUnwrap(server)
        try server.run("CREATE SCHEMA app")
        try createTable("int", ["1", "2", "3"])
        try server.run(
            """
            ALTER ROLE postgres SET search_path = app;
            CREATE TABLE app.changes (id int);
            CREATE FUNCTION app.note() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN INSERT INTO changes VALUES (new.id); RETURN new; END $$;
            CREATE TRIGGER note BEFORE UPDATE ON app.users FOR EACH ROW EXECUTE FUNCTION app.note();
            """
        )
        let outcome = try upgrade("users")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertEqual(try server.run("SELECT id FROM app.changes ORDER BY id"), [["1"], ["2"], ["3"]])
    }

    /// The owner of a schema can replace each table in it, also one of leases, and give it a trigger.
    func testSchemaOfAnotherRoleIsNotUsed() throws {
        let server = try XCTUnwrap(server)
        try server.run(
            """
            CREATE ROLE mallory LOGIN PASSWORD 'pw'; GRANT CREATE ON DATABASE postgres TO mallory;
            CREATE ROLE clerk LOGIN PASSWORD 'pw'; CREATE ROLE owner LOGIN PASSWORD 'pw';
            CREATE SCHEMA app; GRANT USAGE, CREATE ON SCHEMA app TO clerk, owner; GRANT CREATE ON DATABASE postgres TO owner;
            CREATE SEQUENCE public.caught; GRANT ALL ON SEQUENCE public.caught TO PUBLIC;
            """
        )
        func trap(_ table: String) -> String {
            """
            CREATE FUNCTION credkit.trap() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_catalog.nextval('public.caught'); RETURN new; END $$;
            CREATE TABLE credkit.\(table) (slot bigint PRIMARY KEY, low text, high text, worker text, expires timestamptz,
                ranges bigint, done bigint, finished boolean, options text);
            CREATE TRIGGER trap BEFORE INSERT OR UPDATE ON credkit.\(table) FOR EACH ROW EXECUTE FUNCTION credkit.trap();
            GRANT ALL ON ALL TABLES IN SCHEMA credkit TO PUBLIC; GRANT ALL ON SCHEMA credkit TO PUBLIC;
            """
        }
        for (role, tableOwner) in [("postgres", "postgres"), ("clerk", "owner"), ("owner", "owner")] {
            try createTable("int", ["1", "2", "3"], of: tableOwner)
            try server.run("GRANT SELECT, UPDATE ON app.users TO clerk")
            let table = "credkit_upgrade_" + (try server.run("SELECT 'app.users'::regclass::oid")[0][0])
            let (_, errors, status) = try server.logIn(
                role: "mallory",
                password: Array("pw".utf8),
                sql: "CREATE SCHEMA credkit; " + trap(table)
            )
            XCTAssertEqual(status, 0, errors)
            let outcome = try upgrade("app.users", role: role)
            XCTAssertEqual(outcome.status, 0, "\(role): \(outcome.errors)")
            XCTAssertTrue(outcome.errors.contains("schema credkit belongs to another role"), outcome.errors)
            XCTAssertTrue(outcome.errors.contains("3 hashes layered"), outcome.errors)
            XCTAssertEqual(try server.run("SELECT is_called FROM public.caught"), [["f"]], role)
            XCTAssertEqual(try server.run("SELECT count(*) FROM credkit.\(table)"), [["0"]], role)
            try server.run("DROP SCHEMA credkit CASCADE")
        }
        // Those of the table's owner, of a superuser and of the role itself are used.
        for owner in ["owner", "postgres", "clerk"] {
            try createTable("int", ["1", "2", "3"], of: "owner")
            try server.run(
                """
                GRANT SELECT, UPDATE ON app.users TO clerk; REVOKE CREATE ON SCHEMA app FROM clerk;
                CREATE SCHEMA credkit AUTHORIZATION \(owner); GRANT ALL ON SCHEMA credkit TO clerk;
                """
            )
            let outcome = try upgrade("app.users", role: "clerk")
            XCTAssertEqual(outcome.status, 0, "\(owner): \(outcome.errors)")
            XCTAssertFalse(outcome.errors.contains("another role"), outcome.errors)
            try server.run("DROP SCHEMA credkit CASCADE")
        }
    }
}
