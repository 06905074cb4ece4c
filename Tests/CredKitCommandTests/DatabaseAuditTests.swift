// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// `credkit audit --database`. What other roles own in a database is in ``DatabaseUpgradeAttackTests``.
final class DatabaseAuditTests: XCTestCase {
    private var shell: Shell?
    private var server: PostgreSQLServer?
    /// One server for all tests, each of which empties it. Nothing runs in it by itself.
    private nonisolated(unsafe) static var sharedServer: PostgreSQLServer?

    override func setUpWithError() throws {
        let server = try Self.sharedServer ?? PostgreSQLServer(settings: ["autovacuum": "off"])
        (self.server, Self.sharedServer) = (server, server)
        try server.run("DROP SCHEMA IF EXISTS public, app CASCADE; CREATE SCHEMA public;")
        shell = try Shell()
    }

    override func tearDown() { shell?.remove() }

    override class func tearDown() {
        sharedServer?.stop()
        sharedServer = nil
    }

    private let cheap = "--memory 64KiB --passes 1"

    /// MD5 of "secret".
    private let md5 = "5ebe2294ecd0e0f08eab7690d2a6ee69"

    @discardableResult
    private func sql(_ text: String) throws -> [[String]] { try XCTUnwrap(server).run(text) }

    /// Runs a script in which `$audit` audits a table with the columns `id` and `hash`, as the superuser.
    private func run(_ script: String) throws -> Shell.Outcome {
        let server = try XCTUnwrap(server)
        return try XCTUnwrap(shell).run(
            """
            export PGHOST=\(server.folder.path) PGPORT=\(server.port) PGUSER=postgres PGDATABASE=postgres
            audit='credkit audit --database dbname=postgres --id-column id --hash-column hash \(cheap)'
            \(script)
            """
        )
    }

    private func audit(_ arguments: String, table: String = "users") throws -> Shell.Outcome {
        try run("$audit --table '\(table)' \(arguments)")
    }

    // MARK: Output

    /// Writes the table into a CSV file, audits both, and prints how they differ. The identifiers are the multiples of 7.
    private func compare(_ columns: String, _ arguments: String) -> String {
        """
        psql -X -q -c '\\copy (SELECT \(columns) FROM users ORDER BY id) TO users.tsv WITH (HEADER)'
        $audit --table users --json \(arguments) > database.json; echo $?
        credkit audit users.tsv --hash-column hash \(cheap) --json \(arguments) > file.json; echo $?
        python3 - database.json file.json <<'END'
        import json, sys
        database, file = (json.load(open(name)) for name in sys.argv[1:])
        for audit in database, file: del audit["upgrade"]["seconds"]
        for key in file:
            if key.endswith("Rows"):
                # The first record is the header.
                file[key] = [str((number - 1) * 7) for number in file[key]]
        for key in file.keys() | database.keys():
            if database.get(key) != file.get(key): print(key, database.get(key), file.get(key))
        print(database["records"], database["accounts"] > 0)
        END
        """
    }

    /// Pages of several sizes: 3,000 rows of all schemes, 1 % of them damaged, and two without a hash.
    func testAuditEqualsThatOfTheTableAsCSV() throws {
        let script = TestScripts.path("audit_count.py")
        let data = "\(TestScripts.root.path)/Vectors/Data"
        try sql("CREATE TABLE users (id bigint PRIMARY KEY, hash text)")
        let outcome = try run(
            """
            python3 '\(script)' make 3000 '\(data)/password-hashes.json' '\(data)/framework-hashes.json' > table
            awk -F: '{ print NR * 7 "\\t" $2 } END { print (NR + 1) * 7 "\\t\\\\N"; print (NR + 2) * 7 "\\t" }' table | sort -R > rows
            psql -X -q -c '\\copy users FROM rows'
            \(compare("id, hash", ""))
            """
        )
        XCTAssertEqual(outcome.text, "65\n65\n3002 True\n", outcome.errors)
    }

    func testSaltsNullsAndUnknownTextsAreThoseOfTheTableAsText() throws {
        let long = String(repeating: "x", count: 5000)
        try sql(
            """
            CREATE TABLE users (id int PRIMARY KEY, hash varchar(6000), salt text, UNIQUE (id));
            INSERT INTO users VALUES (7, md5('secretpepper'), 'pepper'), (14, md5('x'), NULL), (21, md5('x'), ''),
                (28, NULL, NULL), (35, '', NULL), (42, '*', NULL), (49, '!' || md5('secretsalt'), 'salt'),
                (56, 'nonsense', 's'), (63, '\(long)', 's'), (70, md5('secretpepper'), 'pepper'), (77, repeat('é', 3), 's')
            """
        )
        let outcome = try run(compare("id, hash, salt", "--as salted-md5 --salt-column salt"))
        XCTAssertEqual(outcome.text, "65\n65\n11 True\n", outcome.errors)
    }

    /// A text that was not read to its end may have a hash behind its lock mark and note.
    func testLongTextsAreOverALimitInBothCommands() throws {
        try sql(
            """
            CREATE TABLE users (id int PRIMARY KEY, hash text);
            INSERT INTO users VALUES (7, '! ' || repeat('on leave ', 600)), (14, '! on leave')
            """
        )
        let outcome = try run(
            """
            $audit --table users --json | jq -c '[.overLimitRows, .locked, .unreadable]'
            upgrade='credkit upgrade --database dbname=postgres --id-column id --hash-column hash'
            $upgrade --table users --json | jq -c '[.locked, .problems]'
            """
        )
        XCTAssertEqual(outcome.text, "[[\"7\"],1,1]\n[1,1]\n", outcome.errors)
        XCTAssertTrue(outcome.errors.contains("1 record cannot be read: over-limit 1 (id 7)"), outcome.errors)
    }

    /// Identifiers can be texts that others chose.
    func testProblemsAreNamedByEscapedIdentifiers() throws {
        try sql(
            """
            CREATE TABLE users (id text PRIMARY KEY, hash text);
            INSERT INTO users VALUES (E'a\\nb\\033[2J', 'nonsense'), ('it''s', 'nonsense'), (repeat('z', 2000), 'nonsense'),
                ('plain', '\(md5)'), ('good', '{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=')
            """
        )
        let text = try audit("")
        XCTAssertEqual(text.status, 65, text.errors)
        let long = String(repeating: "z", count: 100)
        XCTAssertTrue(
            text.text.contains(#"3, with id 'a'$'\n''b'$'\033''[2J', "it's", \#(long)…"#),
            text.text
        )
        XCTAssertTrue(text.text.contains("1, with id plain; declare their scheme with --as"), text.text)
        for secret in ["nonsense", md5, "5en6G6M"] {
            XCTAssertFalse((text.text + text.errors).contains(secret), secret)
        }
        let json = try audit("--json")
        XCTAssertTrue(json.text.contains(#""ambiguousRows":["plain"]"#), json.text)
        XCTAssertEqual(try audit("--as md5 --hash-column id --id-column id").status, 65)
    }

    // MARK: Rights

    /// A role with SELECT on two columns, beside a transaction that locks out each change of a row.
    func testAuditOnlyReads() throws {
        let server = try XCTUnwrap(server)
        try sql(
            """
            DROP ROLE IF EXISTS clerk; CREATE ROLE clerk LOGIN PASSWORD 'pw'; CREATE SCHEMA app;
            CREATE TABLE app.users (id int PRIMARY KEY, hash text, salt text);
            INSERT INTO app.users SELECT g, md5(g::text) FROM generate_series(1, 2500) g;
            CREATE FUNCTION app.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no changes'; END $$;
            CREATE TRIGGER fail BEFORE UPDATE ON app.users EXECUTE FUNCTION app.fail();
            """
        )
        let connection = server.connectionString(role: "clerk")
        func attempt(_ arguments: String = "--as md5") throws -> Shell.Outcome {
            try run(
                """
                echo '*:*:*:*:pw' > pass; chmod 600 pass; export PGPASSFILE=$PWD/pass
                cat > audit <<'END'
                credkit audit --database '\(connection)' --table app.users --id-column id --hash-column hash \
                    \(cheap) --json \(arguments); echo $?
                END
                psql -X -q <<'END'
                BEGIN; LOCK TABLE app.users IN EXCLUSIVE MODE;
                \\! timeout 60 bash audit
                END
                """
            )
        }
        let state = """
            SELECT pg_snapshot_xmax(pg_current_snapshot()), (SELECT count(*) FROM pg_class),
                (SELECT md5(string_agg(u::text || xmin || ctid, ',')) FROM (SELECT xmin, ctid, u FROM app.users u ORDER BY id) v)
            """
        for (change, status, message) in [
            ("GRANT USAGE ON SCHEMA app TO clerk", 77, "grant it SELECT on the column"),
            ("GRANT SELECT (id) ON app.users TO clerk", 77, "grant it SELECT on the column"),
            ("GRANT SELECT (hash) ON app.users TO clerk", 0, ""),
            ("ALTER ROLE clerk SET default_transaction_read_only = on", 0, ""),
            ("ALTER ROLE clerk SET default_transaction_isolation = 'serializable'", 0, ""),
            ("ALTER TABLE app.users ENABLE ROW LEVEL SECURITY", 77, "row-level security"),
            ("ALTER TABLE app.users DISABLE ROW LEVEL SECURITY", 0, ""),
        ] {
            try sql(change)
            let before = try sql(state)
            let outcome = try attempt()
            let lines = outcome.text.split(separator: "\n")
            XCTAssertEqual(lines.last.map(String.init), "\(status)", change + outcome.errors)
            XCTAssertTrue(message.isEmpty || outcome.errors.contains(message), change + outcome.errors)
            XCTAssertEqual(lines.first?.contains(#""records":2500"#), status == 0, change + outcome.text)
            // Not even the number of a transaction was taken.
            XCTAssertEqual(try sql(state), before, change)
        }
        XCTAssertEqual(try attempt("--as salted-md5 --salt-column salt").text, "77\n")
    }

    // MARK: Refusals

    func testUnsuitableTablesAndOptionsAreRefused() throws {
        try sql(
            """
            CREATE TABLE users (id int PRIMARY KEY, hash text, n int, nullable int UNIQUE);
            INSERT INTO users VALUES (1, '\(md5)', 1, 1), (2, '!', 1, NULL);
            CREATE VIEW listed AS SELECT * FROM users;
            """
        )
        for (arguments, status, message) in [
            ("--table users --as md5", 0, ""), ("--table users", 65, ""),
            ("--table missing", 65, "no table missing"), ("--table listed", 65, "a view"),
            ("--table users --id-column n", 65, "no unique index of its own"),
            ("--table users --id-column nullable", 65, "NULL in some rows"),
            ("--table users --hash-column n", 65, "of the type integer"),
            ("--table a.b.c", 64, "--table must be a name"), ("", 64, "requires --table"),
            ("--table users table", 64, "only one of a file and --database"),
            ("--table users --format csv", 64, "--format"), ("--table users --batch 5", 64, ""),
            ("--table users --as md5 --salt-column n", 64, "--salt"),
            ("--table users --database 'host=localhost password=hunter2'", 64, "PGPASSFILE"),
            ("--table users --database 'host=127.0.0.1 port=1'", 69, ""),
        ] {
            let outcome = try run("$audit \(arguments)")
            XCTAssertEqual(Int(outcome.status), status, arguments + outcome.errors)
            XCTAssertTrue(message.isEmpty || outcome.errors.contains(message), arguments + outcome.errors)
            XCTAssertFalse(outcome.errors.contains("hunter2"), outcome.errors)
        }
        for (arguments, message) in [
            ("", "Give the table to read"), ("users --table users", "require --database"),
            ("users --id-column id", "require --database"),
        ] {
            let outcome = try run("credkit audit \(arguments)")
            XCTAssertEqual(outcome.status, 64, arguments + outcome.errors)
            XCTAssertTrue(outcome.errors.contains(message), arguments + outcome.errors)
        }
    }

    // MARK: Size

    /// 200 MB of texts, of which no more than a page is in memory.
    func testLargeTableIsReadInBoundedMemory() throws {
        try sql(
            """
            CREATE TABLE users (id int PRIMARY KEY, hash text);
            INSERT INTO users SELECT g, CASE WHEN g % 2 = 0 THEN repeat('x', 4000) ELSE md5((g / 4)::text) END
                FROM generate_series(1, 100000) g
            """
        )
        let outcome = try run(
            """
            cat > measure <<'END'
            import json, resource, subprocess, sys
            done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE)
            audit = json.loads(done.stdout)
            print(done.returncode, audit["records"], audit["overLimit"], audit["overLimitRows"][-1], audit["equalHashes"])
            print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
            END
            python3 measure $audit --table users --as md5 --json
            """
        )
        let lines = outcome.text.split(separator: "\n").map(String.init)
        XCTAssertEqual(
            lines.first,
            "65 100000 50000 40 {'accounts': 50000, 'largest': 2, 'values': 25000}",
            outcome.errors
        )
        XCTAssertLessThan(Int(lines.last ?? "") ?? .max, 100 * 1024, outcome.errors)
    }
}
