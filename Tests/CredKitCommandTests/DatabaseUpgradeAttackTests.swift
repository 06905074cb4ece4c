// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import XCTest

/// `credkit upgrade --database`, and `credkit audit`, in a database where other roles can create functions, operators, schemas
/// and tables: what they have created would run with the rights of the upgrading role.
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
            credkit upgrade \(arguments.contains("--database") ? "" : "--database dbname=postgres") --table \(table) --id-column id --hash-column hash --as md5 \
                --memory 64KiB --passes 1 --batch 2 \(arguments)
            """
        )
    }

    /// Runs `credkit audit` as the superuser.
    private func audit(_ table: String) throws -> Shell.Outcome {
        let server = try XCTUnwrap(server)
        return try XCTUnwrap(shell).run(
            """
            export PGHOST=\(server.folder.path) PGPORT=\(server.port) PGUSER=postgres
            credkit audit --database dbname=postgres --table \(table) --id-column id --hash-column hash --as md5 \
                --memory 64KiB --passes 1
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
            let audited = try audit("app.users")
            XCTAssertEqual(audited.status, 0, "\(type): \(audited.errors)")
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
                let audited = try audit("app.users")
                XCTAssertEqual(audited.status, 0, "\(type): \(audited.errors)")
                XCTAssertTrue(audited.text.contains("  upgradable:       3\n"), "\(type): \(audited.text)")
                XCTAssertNil(try server.calledDecoy(), "\(type), \(path) audit")
                let outcome = try upgrade("app.users")
                XCTAssertEqual(outcome.status, 0, "\(type): \(outcome.errors)")
                XCTAssertTrue(outcome.errors.contains("3 hashes"), "\(type): \(outcome.errors)")
                XCTAssertNil(try server.calledDecoy(), "\(type), \(path) upgrade")
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
        // In that of a server's state nothing else may be: its owner is looked at whenever a server starts.
        try createTable("int", ["1", "2", "3"], of: "owner")
        try server.run(
            """
            CREATE SCHEMA credkit; CREATE TABLE credkit.version (version bigint); GRANT ALL ON SCHEMA credkit TO owner;
            CREATE TABLE app.log (name name); GRANT ALL ON app.log TO PUBLIC;
            CREATE FUNCTION app.log() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
              INSERT INTO app.log SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
              WHERE c.relname LIKE 'credkit_upgrade_%' AND c.relkind = 'r'; RETURN new; END $$;
            CREATE TRIGGER log BEFORE UPDATE ON app.users FOR EACH ROW EXECUTE FUNCTION app.log();
            """
        )
        let outcome = try upgrade("app.users", role: "owner")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertEqual(try server.run("SELECT DISTINCT name FROM app.log"), [["app"]])
    }

    /// An error of a trigger is not one of the command.
    func testErrorsOfTriggersAreShown() throws {
        let server = try XCTUnwrap(server)
        try server.run("CREATE SCHEMA app")
        try createTable("int", ["1", "2", "3"])
        for (statement, message) in [
            ("INSERT INTO missing VALUES (1)", "missing"), ("PERFORM 1 / 0", "division by zero"),
        ] {
            try server.run(
                """
                CREATE OR REPLACE FUNCTION app.fail() RETURNS trigger LANGUAGE plpgsql AS
                    $$ BEGIN \(statement); RETURN new; END $$;
                DROP TRIGGER IF EXISTS fail ON app.users;
                CREATE TRIGGER fail BEFORE UPDATE ON app.users FOR EACH ROW EXECUTE FUNCTION app.fail();
                """
            )
            let outcome = try upgrade("app.users")
            XCTAssertNotEqual(outcome.status, 0)
            XCTAssertTrue(outcome.errors.contains(message), outcome.errors)
            XCTAssertFalse(outcome.errors.contains("renamed"), outcome.errors)
        }
        // The commit fails, and not the change.
        try server.run(
            """
            CREATE OR REPLACE FUNCTION app.fail() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE EXCEPTION 'no new hashes'; END $$;
            DROP TRIGGER fail ON app.users; CREATE CONSTRAINT TRIGGER fail AFTER UPDATE ON app.users
                DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION app.fail();
            """
        )
        let outcome = try upgrade("app.users")
        XCTAssertNotEqual(outcome.status, 0)
        XCTAssertTrue(outcome.errors.contains("no new hashes"), outcome.errors)
    }

    /// Whether the trap of ``setTrap(for:)`` was called.
    private func isCaught() throws -> Bool {
        try XCTUnwrap(server).run("SELECT is_called FROM public.caught") == [["t"]]
    }

    private func setTrap() throws {
        try XCTUnwrap(server).run(
            """
            CREATE SCHEMA app; CREATE ROLE mallory LOGIN PASSWORD 'pw'; CREATE ROLE owner LOGIN PASSWORD 'pw';
            CREATE SEQUENCE public.caught; GRANT ALL ON SEQUENCE public.caught TO PUBLIC;
            CREATE FUNCTION public.trap() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_catalog.nextval('public.caught'); RETURN new; END $$;
            CREATE FUNCTION public.trap(anyelement) RETURNS boolean LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_catalog.nextval('public.caught'); RETURN true; END $$;
            ALTER FUNCTION public.trap() OWNER TO mallory; ALTER FUNCTION public.trap(anyelement) OWNER TO mallory;
            """
        )
    }

    func testWhatOtherRolesOwnIsRefused() throws {
        let server = try XCTUnwrap(server)
        try setTrap()
        func refused(_ change: String, back: String, line: UInt = #line) throws {
            try createTable("text", ["a", "b", "c"], of: "owner")
            try server.run(change)
            var outcome = try upgrade("app.users")
            XCTAssertEqual(outcome.status, 77, outcome.errors, line: line)
            XCTAssertTrue(outcome.errors.contains("role"), outcome.errors, line: line)
            XCTAssertEqual(try audit("app.users").status, 77, line: line)
            XCTAssertFalse(try isCaught(), line: line)
            try server.run(back)
            outcome = try upgrade("app.users")
            XCTAssertEqual(outcome.status, 0, outcome.errors, line: line)
        }
        // Its owner can rename the schema, and make another one with another table.
        try refused("ALTER SCHEMA app OWNER TO mallory", back: "ALTER SCHEMA app OWNER TO owner")
        try refused(
            """
            CREATE TYPE public.mood AS ENUM ('a', 'b', 'c'); ALTER TYPE public.mood OWNER TO mallory;
            ALTER TABLE app.users ALTER id TYPE public.mood USING id::public.mood
            """,
            back: "ALTER TYPE public.mood OWNER TO owner"
        )
        try refused(
            """
            CREATE DOMAIN public.digest AS text; ALTER DOMAIN public.digest OWNER TO mallory;
            ALTER TABLE app.users ALTER hash TYPE public.digest;
            ALTER DOMAIN public.digest ADD CHECK (public.trap(value)) NOT VALID
            """,
            back:
                "ALTER DOMAIN public.digest DROP CONSTRAINT digest_check; ALTER DOMAIN public.digest OWNER TO owner"
        )
        try refused(
            """
            DROP TABLE app.users; CREATE TABLE app.users (id text PRIMARY KEY, hash text) PARTITION BY LIST (id);
            CREATE TABLE app.part PARTITION OF app.users DEFAULT; INSERT INTO app.users VALUES ('a', '\(md5)');
            ALTER TABLE app.users OWNER TO owner; ALTER TABLE app.part OWNER TO mallory;
            CREATE TRIGGER trap BEFORE UPDATE ON app.part FOR EACH ROW EXECUTE FUNCTION public.trap()
            """,
            back: "DROP TRIGGER trap ON app.part; ALTER TABLE app.part OWNER TO owner"
        )
        try refused(
            """
            CREATE DOMAIN public.inner AS text; ALTER DOMAIN public.inner OWNER TO mallory;
            ALTER DOMAIN public.inner ADD CHECK (public.trap(value)) NOT VALID;
            CREATE DOMAIN public.outer AS public.inner; ALTER DOMAIN public.outer OWNER TO owner;
            DROP TABLE app.users CASCADE; CREATE TABLE app.users (id public.outer[] PRIMARY KEY, hash text);
            ALTER TABLE app.users OWNER TO owner
            """,
            back: """
                DROP TABLE app.users; CREATE TABLE app.users (id text PRIMARY KEY, hash text);
                ALTER TABLE app.users OWNER TO owner
                """
        )
        XCTAssertFalse(try isCaught())
        // The database's owner sets the role of each session, but not the one that logged in.
        try server.run(
            """
            GRANT USAGE, CREATE ON SCHEMA app TO mallory; GRANT SELECT, UPDATE ON app.users TO mallory;
            CREATE SCHEMA credkit AUTHORIZATION mallory; ALTER DATABASE postgres SET role = mallory;
            """
        )
        let outcome = try upgrade("app.users")
        XCTAssertTrue(outcome.errors.contains("belongs to another role"), outcome.errors)
        XCTAssertFalse(try isCaught())
    }

    /// Who may create triggers on a table is not who may run code as the upgrading role.
    func testTriggersOfOtherRolesAreRefused() throws {
        let server = try XCTUnwrap(server)
        try setTrap()
        try createTable("int", ["1", "2", "3"], of: "owner")
        try server.run(
            "CREATE TRIGGER trap BEFORE UPDATE ON app.users FOR EACH ROW EXECUTE FUNCTION public.trap(); "
                + "GRANT ALL ON app.users TO mallory"
        )
        var outcome = try upgrade("app.users")
        XCTAssertEqual(outcome.status, 77, outcome.errors)
        XCTAssertFalse(try isCaught())
        outcome = try audit("app.users")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertFalse(try isCaught())
        // A trigger that was created before stays, and its condition is code as well.
        try server.run("REVOKE TRIGGER ON app.users FROM mallory")
        XCTAssertEqual(try upgrade("app.users").status, 77)
        try server.run(
            """
            DROP TRIGGER trap ON app.users; CREATE FUNCTION public.condition(app.users) RETURNS boolean LANGUAGE sql AS 'SELECT true';
            ALTER FUNCTION public.condition(app.users) OWNER TO mallory;
            CREATE TRIGGER trap BEFORE UPDATE ON app.users FOR EACH ROW WHEN (public.condition(new))
              EXECUTE FUNCTION suppress_redundant_updates_trigger()
            """
        )
        XCTAssertEqual(try upgrade("app.users").status, 77)
        try server.run(
            """
            CREATE FUNCTION public.trap(text, text) RETURNS boolean LANGUAGE plpgsql AS
                $$ BEGIN PERFORM pg_catalog.nextval('public.caught'); RETURN true; END $$;
            ALTER FUNCTION public.trap(text, text) OWNER TO mallory; GRANT CREATE ON SCHEMA public TO mallory; SET ROLE mallory;
            CREATE OPERATOR public.=== (LEFTARG = text, RIGHTARG = text, FUNCTION = public.trap);
            CREATE DOMAIN public.digest AS text CHECK (public.trap(value, value));
            """
        )
        for condition in [
            "old.hash OPERATOR(public.===) new.hash", "(new.hash::public.digest) IS NOT NULL",
            "query_to_xml('SELECT public.trap(''a'', ''b'')', false, false, '') IS NOT NULL",
        ] {
            try server.run(
                """
                DROP TRIGGER trap ON app.users; CREATE TRIGGER trap BEFORE UPDATE ON app.users FOR EACH ROW
                  WHEN (\(condition)) EXECUTE FUNCTION suppress_redundant_updates_trigger()
                """
            )
            let outcome = try upgrade("app.users")
            XCTAssertEqual(outcome.status, 77, "\(condition): \(outcome.errors)")
        }
        XCTAssertFalse(try isCaught())
        // What the owner of a table writes is no harm.
        try server.run(
            """
            DROP TRIGGER trap ON app.users; CREATE TRIGGER trap BEFORE UPDATE ON app.users FOR EACH ROW
              WHEN (old.hash IS DISTINCT FROM new.hash AND pg_trigger_depth() = 0)
              EXECUTE FUNCTION suppress_redundant_updates_trigger()
            """
        )
        XCTAssertEqual(try upgrade("app.users", "--batch 1").status, 0)
        try server.run("DROP FUNCTION public.condition(app.users) CASCADE")
        try createTable("int", ["1", "2", "3"], of: "owner")
        try server.run(
            """
            ALTER FUNCTION public.trap() OWNER TO owner;
            CREATE TRIGGER trap BEFORE UPDATE ON app.users FOR EACH ROW EXECUTE FUNCTION public.trap()
            """
        )
        outcome = try upgrade("app.users")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertTrue(try isCaught())
    }

    /// PostgreSQL calls by itself what indexes, constraints, rules and policies of a table use.
    func testCodeOfOtherRolesIsRefused() throws {
        let server = try XCTUnwrap(server)
        try setTrap()
        try server.run(
            "GRANT USAGE, CREATE ON SCHEMA app TO owner; CREATE TABLE app.log (text text); ALTER TABLE app.log OWNER TO owner"
        )
        func arm(_ isArmed: Bool) throws {
            let body = isArmed ? "PERFORM pg_catalog.nextval('public.caught');" : ""
            try server.run(
                """
                CREATE OR REPLACE FUNCTION public.code(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS
                    $$ BEGIN \(body) RETURN $1; END $$;
                CREATE OR REPLACE FUNCTION public.equals(text, text) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS
                    $$ BEGIN \(body) RETURN true; END $$;
                ALTER FUNCTION public.code(text) OWNER TO mallory; ALTER FUNCTION public.equals(text, text) OWNER TO mallory;
                """
            )
        }
        try arm(false)
        try server.run(
            """
            CREATE OPERATOR app.=== (LEFTARG = text, RIGHTARG = text, FUNCTION = public.equals);
            ALTER OPERATOR app.=== (text, text) OWNER TO owner;
            """
        )
        for change in [
            "CREATE INDEX ON app.users (public.code(login))",
            "CREATE INDEX ON app.users (id) WHERE public.code('a') = 'a'",
            "CREATE INDEX ON app.users ((login OPERATOR(app.===) 'a'))",
            "ALTER TABLE app.users ADD CHECK (public.code(login) IS NULL)",
            "ALTER TABLE app.users ADD made text GENERATED ALWAYS AS (public.code(login)) STORED",
            "CREATE DOMAIN app.first AS text CHECK (public.code(value) <> ''); ALTER TABLE app.users ALTER login TYPE app.first",
            "CREATE DOMAIN app.inner AS text CHECK (public.code(value) <> ''); CREATE DOMAIN app.outer AS app.inner; "
                + "CREATE TYPE app.pair AS (one int, two app.outer[]); ALTER TABLE app.users ADD pair app.pair",
            "CREATE RULE log AS ON UPDATE TO app.users DO INSTEAD INSERT INTO app.log VALUES (public.code(new.hash))",
            "CREATE POLICY seen ON app.users USING (public.code(login) IS NULL)",
            "CREATE STATISTICS app.lengths ON (public.code(login)) FROM app.users",
            "CREATE TABLE app.child () INHERITS (app.users); ALTER TABLE app.child ADD CHECK (public.code(login) IS NULL)",
        ] {
            try server.run("DROP TABLE IF EXISTS app.child, app.users")
            try createTable("int", ["1", "2", "3"], of: "owner")
            try server.run("SET ROLE owner; ALTER TABLE app.users ADD login text; \(change)")
            try arm(true)
            let outcome = try upgrade("app.users")
            XCTAssertEqual(outcome.status, 77, "\(change): \(outcome.errors)")
            XCTAssertTrue(
                outcome.errors.contains("functions of other roles"),
                "\(change): \(outcome.errors)"
            )
            XCTAssertEqual(try audit("app.users").status, 77, change)
            XCTAssertFalse(try isCaught(), change)
            try arm(false)
        }
        // What belongs to the owner or to PostgreSQL is no harm.
        try server.run("DROP TABLE app.child, app.users; CREATE EXTENSION citext SCHEMA public")
        try createTable("int", ["1", "2", "3"], of: "owner")
        try server.run(
            """
            SET ROLE owner; CREATE FUNCTION app.own(text) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT $1';
            ALTER TABLE app.users ADD login public.citext UNIQUE, ADD name text CHECK (length(name) < 9),
                ADD made text GENERATED ALWAYS AS (lower(name)) STORED, ADD number int GENERATED ALWAYS AS IDENTITY;
            CREATE UNIQUE INDEX ON app.users (lower(name)); CREATE INDEX ON app.users (app.own(name));
            CREATE TABLE app.groups (id int REFERENCES app.users);
            """
        )
        XCTAssertEqual(try audit("app.users").status, 0)
        let outcome = try upgrade("app.users")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
    }

    /// Partitions are not locked with their table: a trigger of an open transaction would be seen only when it runs.
    func testPartitionsWhereOthersMayCreateTriggersAreRefused() throws {
        let server = try XCTUnwrap(server)
        try setTrap()
        try server.run(
            """
            CREATE TABLE app.users (id int PRIMARY KEY, hash text) PARTITION BY RANGE (id);
            CREATE TABLE app.part PARTITION OF app.users DEFAULT; INSERT INTO app.users VALUES (1, '\(md5)');
            ALTER TABLE app.users OWNER TO owner; ALTER TABLE app.part OWNER TO owner; GRANT ALL ON app.part TO mallory;
            """
        )
        var outcome = try upgrade("app.users")
        XCTAssertEqual(outcome.status, 77, outcome.errors)
        XCTAssertTrue(outcome.errors.contains("revoke TRIGGER"), outcome.errors)
        try server.run("REVOKE TRIGGER ON app.part FROM mallory")
        outcome = try upgrade("app.users")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
    }

    func testHashesThatTriggersAlterAreNotCounted() throws {
        let server = try XCTUnwrap(server)
        try server.run("CREATE SCHEMA app; CREATE ROLE owner")
        try createTable("int", ["1", "2", "3"], of: "owner")
        try server.run(
            """
            CREATE FUNCTION app.keep() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN IF new.id < 3 THEN new.hash := old.hash; END IF; RETURN new; END $$;
            CREATE TRIGGER keep BEFORE UPDATE ON app.users FOR EACH ROW EXECUTE FUNCTION app.keep()
            """
        )
        let outcome = try upgrade("app.users")
        XCTAssertNotEqual(outcome.status, 0)
        XCTAssertTrue(outcome.errors.contains("a trigger of the table"), outcome.errors)
        XCTAssertTrue(outcome.errors.contains("1 hash"), outcome.errors)
    }

    /// Triggers that run after the change, up to the end of the transaction, or that leave rows out.
    func testHashesThatTriggersPutBackAreNotCounted() throws {
        let server = try XCTUnwrap(server)
        try server.run("CREATE SCHEMA app; CREATE ROLE owner")
        for trigger in [
            "TRIGGER keep AFTER UPDATE ON app.users FOR EACH ROW WHEN (new.hash LIKE '$%')",
            "CONSTRAINT TRIGGER keep AFTER UPDATE ON app.users DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.hash LIKE '$%')",
            "TRIGGER keep BEFORE UPDATE ON app.users FOR EACH ROW WHEN (new.hash LIKE '$%')",
        ] {
            try createTable("int", ["1", "2", "3"], of: "owner")
            try server.run(
                """
                CREATE OR REPLACE FUNCTION app.keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                  IF new.id = 3 THEN RETURN new; END IF;
                  IF tg_when = 'AFTER' THEN UPDATE app.users SET hash = old.hash WHERE id = old.id; END IF;
                  RETURN NULL; END $$;
                CREATE \(trigger) EXECUTE FUNCTION app.keep()
                """
            )
            let outcome = try upgrade("app.users")
            XCTAssertNotEqual(outcome.status, 0, trigger)
            XCTAssertTrue(outcome.errors.contains("a trigger of the table"), "\(trigger): \(outcome.errors)")
            XCTAssertTrue(outcome.errors.contains("1 hash"), "\(trigger): \(outcome.errors)")
        }
    }

    /// Row-level security hides rows, and the name of a column that is gone is that of a function of the row.
    func testChangesDuringTheUpgradeAreNoticed() throws {
        let server = try XCTUnwrap(server)
        try setTrap()
        try server.run("GRANT CREATE ON SCHEMA public TO mallory; GRANT CREATE ON DATABASE postgres TO owner")
        for change in [
            "ALTER TABLE app.users FORCE ROW LEVEL SECURITY; ALTER TABLE app.users ENABLE ROW LEVEL SECURITY",
            """
            CREATE FUNCTION public.id(app.users) RETURNS int LANGUAGE plpgsql AS
                'BEGIN PERFORM nextval(''public.caught''); RETURN 1; END';
            ALTER FUNCTION public.id(app.users) OWNER TO mallory; ALTER TABLE app.users RENAME id TO number
            """,
        ] {
            try server.run(
                """
                DROP TABLE IF EXISTS app.users CASCADE; CREATE TABLE app.users (id int PRIMARY KEY, hash text);
                INSERT INTO app.users SELECT i, '\(md5)' FROM generate_series(1, 5000) i; ALTER TABLE app.users OWNER TO owner;
                GRANT USAGE, CREATE ON SCHEMA app TO owner;
                """
            )
            let end = try upgrade(
                "app.users",
                """
                --passes 3 & upgrade=$!
                sql() { PGUSER=postgres psql -X -q -A -t -v ON_ERROR_STOP=1 -d postgres; }
                until [ "$(echo "SELECT count(*) FROM app.users WHERE hash LIKE '$%'" | sql)" -gt 0 ]; do
                    kill -0 $upgrade || break
                done
                sql <<'END' || exit
                \(change)
                END
                wait $upgrade
                """,
                role: "owner"
            )
            XCTAssertTrue(end.errors.contains("exchanged for another"), end.errors)
            XCTAssertFalse(try isCaught())
        }
    }

    /// Rights that a schema gives by default would let others end the upgrade, or run code as the upgrading role.
    func testLeasesAreForTheirOwnerAlone() throws {
        let server = try XCTUnwrap(server)
        try setTrap()
        try createTable("int", ["1", "2", "3"], of: "owner")
        try server.run(
            """
            ALTER DEFAULT PRIVILEGES IN SCHEMA app GRANT ALL ON TABLES TO mallory, PUBLIC; GRANT USAGE ON SCHEMA app TO mallory;
            CREATE TABLE app.seen (acl text);
            CREATE FUNCTION app.see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
              INSERT INTO app.seen SELECT relacl FROM pg_class WHERE relname LIKE 'credkit_upgrade_%' AND relkind = 'r'; RETURN new; END $$;
            CREATE TRIGGER see BEFORE UPDATE ON app.users FOR EACH ROW EXECUTE FUNCTION app.see();
            """
        )
        var outcome = try upgrade("app.users")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        // PostgreSQL 17 has the right to maintain, m.
        let seen = try server.run("SELECT DISTINCT replace(acl, 'arwdDxtm', 'arwdDxt') FROM app.seen")
        XCTAssertEqual(seen, [["{postgres=arwdDxt/postgres}"]])
        // One that others could have changed is not used.
        let table = "app.credkit_upgrade_" + (try server.run("SELECT 'app.users'::regclass::oid")[0][0])
        let columns =
            "slot bigint PRIMARY KEY, low text, high text, worker text, expires timestamptz, ranges bigint, done bigint, "
            + "finished boolean, options text"
        for change in [
            "GRANT UPDATE ON \(table) TO mallory",
            "CREATE TRIGGER trap BEFORE INSERT ON \(table) FOR EACH ROW EXECUTE FUNCTION public.trap()",
        ] {
            try server.run(
                "ALTER DEFAULT PRIVILEGES IN SCHEMA app REVOKE ALL ON TABLES FROM mallory, PUBLIC; CREATE TABLE \(table) (\(columns)); "
                    + change
            )
            outcome = try upgrade("app.users")
            XCTAssertEqual(outcome.status, 77, outcome.errors)
            try server.run("DROP TABLE \(table)")
        }
        XCTAssertFalse(try isCaught())
    }

    /// The table is renamed by its owner while it is upgraded, and another role makes one of the same name.
    func testAnotherTableOfTheSameNameIsNotTouched() throws {
        let server = try XCTUnwrap(server)
        try setTrap()
        try server.run(
            """
            ALTER ROLE postgres SET default_transaction_isolation = 'repeatable read';
            CREATE TABLE app.users (id int PRIMARY KEY, hash text); INSERT INTO app.users
                SELECT i, '\(md5)' FROM generate_series(1, 5000) i;
            ALTER TABLE app.users OWNER TO owner; GRANT CREATE, USAGE ON SCHEMA app TO mallory;
            """
        )
        let end = try upgrade(
            "app.users",
            """
            --passes 3 & upgrade=$!
            sql() { psql -X -q -A -t -v ON_ERROR_STOP=1 -d postgres; }
            until [ "$(echo "SELECT count(*) FROM app.users WHERE hash LIKE '$%'" | sql)" -gt 0 ]; do :; done
            sql <<'END' || exit
            BEGIN; ALTER TABLE app.users RENAME TO old; CREATE TABLE app.users (id int PRIMARY KEY, hash text);
            INSERT INTO app.users SELECT i, '\(md5)' FROM generate_series(1, 5000) i; ALTER TABLE app.users OWNER TO mallory;
            CREATE TRIGGER trap BEFORE UPDATE ON app.users FOR EACH ROW EXECUTE FUNCTION public.trap(); COMMIT;
            END
            wait $upgrade
            """
        )
        // What notices it first is the claim of further rows or the change of claimed ones.
        XCTAssertTrue([75, 77].contains(end.status), end.errors)
        XCTAssertTrue(end.errors.contains("exchanged for another"), end.errors)
        XCTAssertFalse(try isCaught())
        XCTAssertEqual(try server.run("SELECT count(*) FROM app.users WHERE hash LIKE '$%'"), [["0"]])
    }

    /// Identifiers are compared as their index does it, whatever the database's collation is.
    func testIdentifiersOfAnyCollationAreFound() throws {
        let server = try XCTUnwrap(server)
        try server.run(
            "CREATE DATABASE icu TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C.UTF-8'"
        )
        try server.run("CREATE DATABASE plain TEMPLATE template0 ENCODING 'UTF8'")
        let letters = ["A", "b", "C", "d", "e", "F", "g", "H", "ä", "Z"]
        let ids = (0..<130).map { number in letters[number % 10] + String(number) }
        let rows = ids.map { "('\($0)', '\(md5)')" }.joined(separator: ",")
        for collation in ["", " COLLATE \"C\"", " COLLATE \"de-x-icu\"", " COLLATE \"und-x-icu\""] {
            for database in ["icu", "plain"] {
                try server.run(
                    """
                    DROP TABLE IF EXISTS users; CREATE TABLE users (id text\(collation) PRIMARY KEY, hash text);
                    INSERT INTO users VALUES \(rows)
                    """,
                    in: database
                )
                let outcome = try upgrade("public.users", "--database dbname=\(database)")
                XCTAssertEqual(outcome.status, 0, "\(database) \(collation): \(outcome.errors)")
                XCTAssertTrue(
                    outcome.errors.contains("130 hashes layered"),
                    "\(database) \(collation): \(outcome.errors)"
                )
            }
        }
    }
}
