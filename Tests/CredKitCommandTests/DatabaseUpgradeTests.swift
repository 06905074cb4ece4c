// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import CredKitServer
import Foundation
import XCTest

@testable import CredKitCommand

/// `credkit upgrade --database`: one worker, all kinds of tables.
final class DatabaseUpgradeTests: XCTestCase {
    private var shell: Shell?
    private var server: PostgreSQLServer?
    /// One server for all tests, each of which empties it.
    private nonisolated(unsafe) static var sharedServer: PostgreSQLServer?

    override func setUpWithError() throws {
        let server = try Self.sharedServer ?? PostgreSQLServer()
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

    /// Runs `credkit upgrade` as the superuser.
    private func upgrade(_ arguments: String, table: String = "users", id: String = "id") throws
        -> Shell.Outcome
    {
        let server = try XCTUnwrap(server)
        return try XCTUnwrap(shell).run(
            """
            export PGHOST=\(server.folder.path) PGPORT=\(server.port) PGUSER=postgres
            credkit upgrade --database dbname=postgres --table '\(table)' --id-column '\(id)' --hash-column hash \(arguments)
            """
        )
    }

    @discardableResult
    private func sql(_ text: String) throws -> [[String]] { try XCTUnwrap(server).run(text) }

    private let context = try? PasswordContext(policy: .recommended)

    /// MD5 of "secret".
    private let md5 = "5ebe2294ecd0e0f08eab7690d2a6ee69"

    // MARK: Tables

    func testIdentifiersOfEachTypeAreUpgraded() throws {
        for (type, values) in [
            ("bigint", ["-9223372036854775808", "0", "9223372036854775807"]), ("integer", ["-1", "2"]),
            ("uuid", ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"]),
            ("text", ["''", "a''b", "\"; DROP TABLE users; --", "\\", "{}", "é用", "a,b"]),
            ("varchar(10) COLLATE \"C\"", ["B", "a", "ä"]), ("char(5)", ["a", "b c"]),
            ("numeric", ["1.50", "1e30", "-0.1"]),
            ("timestamptz", ["2026-01-01 00:00:00.000001+08", "epoch"]),
        ] {
            let rows = values.map { "('\($0)', '\(md5)')" }.joined(separator: ",")
            try sql(
                "DROP TABLE IF EXISTS users; CREATE TABLE users (id \(type) PRIMARY KEY, hash text); INSERT INTO users VALUES \(rows)"
            )
            // Ranges of one row.
            let outcome = try upgrade("--as md5 \(cheap) --batch 1")
            XCTAssertEqual(outcome.status, 0, type + outcome.errors)
            XCTAssertTrue(
                outcome.errors.contains("\(values.count) hashes layered, 0 records kept"),
                type + outcome.errors
            )
            for row in try sql("SELECT hash FROM users") {
                XCTAssertEqual(try context?.verify("secret", against: row[0]).isMatch, true, type)
            }
        }
    }

    func testHostileNamesAreOnlyNames() throws {
        let name = #"u"; DROP TABLE precious; --"#
        let quoted = SQLName.quote(name)
        try sql(
            """
            CREATE TABLE precious (x int);
            CREATE SCHEMA \(quoted);
            CREATE TABLE \(quoted).\(quoted) (\(quoted) int PRIMARY KEY, "hash" text, "$credkit$ salt" text);
            INSERT INTO \(quoted).\(quoted) VALUES (1, '\(md5)', 'x');
            """
        )
        let outcome = try upgrade(
            "--as salted-md5 --salt-column '$credkit$ salt' \(cheap)",
            table: "\(quoted).\(quoted)",
            id: name
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertTrue(outcome.errors.contains("1 hashes layered"), outcome.errors)
        XCTAssertEqual(try sql("SELECT count(*) FROM precious"), [["0"]])
        XCTAssertEqual(try sql("SELECT relname FROM pg_class WHERE relname LIKE 'credkit%'"), [])
    }

    /// The decisions are those of files: the same hashes in a file have the same counts.
    func testSaltsNullsAndUnknownTextsAreTreatedAsInFiles() throws {
        let strong = try XCTUnwrap(context).hash("secret")
        let long = String(repeating: "x", count: 5000)
        try sql(
            """
            CREATE TABLE users (id int PRIMARY KEY, hash varchar(6000), salt text);
            INSERT INTO users VALUES (1, md5('secretpepper'), 'pepper'), (2, md5('x'), NULL), (3, md5('x'), ''), (4, NULL, NULL),
                (5, '', NULL), (6, '*', NULL), (7, '!' || md5('secretsalt'), 'salt'), (8, 'nonsense', 's'), (9, '\(long)', 's'),
                (10, '\(strong)', NULL), (11, repeat('é', 3), 's')
            """
        )
        let before = try sql("SELECT id, hash FROM users ORDER BY id")
        let arguments = "--as salted-md5 --salt-column salt --json \(cheap)"
        let kept = ["current": 1, "locked": 1, "withoutPassword": 2]
        let outcome = try upgrade(arguments)
        XCTAssertEqual(outcome.status, 65, outcome.errors)
        XCTAssertEqual(
            outcome.text,
            UpgradeCountsText.json(
                kept.merging(["changed": 0, "layered": 3, "lockedWithHash": 1, "problems": 4]) { $1 }
            ) + "\n"
        )
        XCTAssertEqual(try sql("SELECT relname FROM pg_class WHERE relname LIKE 'credkit%'"), [])
        for (id, reason) in [
            (2, "the salt is NULL"), (8, "unrec"), (9, "the stored text is longer"), (11, "unrec"),
        ] as [(Int, String)] {
            XCTAssertTrue(
                outcome.errors.contains("public.users: id \(id): \(reason)"),
                "\(id): \(outcome.errors)"
            )
        }
        XCTAssertFalse(outcome.errors.contains("xxxxx"), "a stored text is shown")
        let after = try sql("SELECT id, hash FROM users ORDER BY id")
        XCTAssertEqual(
            after.map { $0[0] }.filter { id in !before.contains { $0 == after[(Int(id) ?? 1) - 1] } },
            ["1", "3", "7"]
        )
        // An empty salt has no bytes; NULL is not guessed.
        XCTAssertEqual(try context?.verify("x", against: after[2][1]).isMatch, true)
        XCTAssertEqual(try context?.verify("secret", against: after[0][1]).isMatch, true)
        XCTAssertTrue(after[6][1].hasPrefix("!$layered-argon2id$"))
        // A second run finds nothing more to do.
        XCTAssertEqual(
            try upgrade(arguments).text,
            UpgradeCountsText.json(
                kept.merging(["changed": 0, "current": 4, "lockedWithHash": 1, "problems": 4]) { $1 }
            ) + "\n"
        )
    }

    func testPasswordEquivalentsBecomeVerifiersInPlace() throws {
        let equivalent = Legacy.TimestampedLogin(keyPhrase: "itheima").passwordEquivalent(for: "zhang").hex
        try sql(
            """
            CREATE TABLE users (id int PRIMARY KEY, hash text);
            INSERT INTO users VALUES (1, '\(equivalent)'), (2, '$1$abc$iCQ2D3nhptRYi27fDYv2s1')
            """
        )
        let toSCRAM = "--as timestamp --to scram-sha-256 --iterations 4096"
        let both = try upgrade("\(toSCRAM) --keep-equivalent")
        XCTAssertEqual(both.status, 65, both.errors)
        XCTAssertTrue(
            both.errors.contains(
                "public.users: 1 record cannot be upgraded before the next login: md5-crypt 1 (id 2)"
            ),
            both.errors
        )
        XCTAssertTrue(both.errors.contains("1 password-equivalents converted"), both.errors)
        XCTAssertTrue(both.errors.contains("public.users: id 2: kept: only a login"), both.errors)
        let kept = try sql("SELECT hash FROM users WHERE id = 1")[0][0]
        XCTAssertTrue(
            kept.hasPrefix("\(equivalent)+$layered-scram$keyid=timestamped-login$SCRAM-SHA-256$4096:"),
            kept
        )
        XCTAssertEqual(
            try upgrade("\(toSCRAM) --json").text,
            UpgradeCountsText.json(["changed": 0, "rehash": 1, "removed": 1]) + "\n"
        )
        XCTAssertEqual(try sql("SELECT hash FROM users WHERE id = 1"), [[String(kept.dropFirst(33))]])
    }

    // MARK: Refusals

    func testUnsuitableTablesAreRefusedUnchanged() throws {
        try sql(
            """
            CREATE TABLE users (id int PRIMARY KEY, hash text, n int, twice int, nullable int UNIQUE, bin bytea);
            INSERT INTO users VALUES (1, '\(md5)', 1, 1, 1, ''), (2, '\(md5)', 2, 1, NULL, '');
            CREATE UNIQUE INDEX ON users (twice) WHERE id = 1;
            CREATE UNIQUE INDEX ON users (twice, id);
            CREATE VIEW listed AS SELECT * FROM users;
            DROP SCHEMA IF EXISTS first CASCADE;
            CREATE SCHEMA first; CREATE TABLE first.two (); CREATE TABLE two ();
            ALTER ROLE postgres SET search_path = first, public;
            CREATE TABLE narrow (id int PRIMARY KEY, hash varchar(64));
            INSERT INTO narrow VALUES (1, '\(md5)');
            """
        )
        for (arguments, table, id, status, message) in [
            ("", "missing", "id", 65, "no table missing"),
            ("", "two", "id", 65, "several tables have this name: first.two, public.two"),
            ("", "missing.users", "id", 65, "no table missing.users"),
            ("", "users", "missing", 65, "no column missing"), ("", "users", "ctid", 65, "no column ctid"),
            ("--salt-column missing --as salted-md5", "users", "id", 65, "no column missing"),
            ("--salt-column n --as salted-md5", "users", "id", 65, "of the type integer"),
            ("", "users", "twice", 65, "no unique index of its own"),
            ("", "users", "nullable", 65, "NULL in some rows"),
            ("", "listed", "id", 65, "a view"), ("", "narrow", "id", 65, "too short for the new hashes"),
            ("", "a.b.c", "id", 64, "--table must be a name"),
            ("", "\"users", "id", 64, "--table must be a name"),
            ("--input x", "users", "id", 64, "takes no --input"),
            ("--format csv", "users", "id", 64, "--format"),
            ("--batch 0", "users", "id", 64, "--batch"), ("--workers 0", "users", "id", 64, "--workers"),
        ] {
            let outcome = try upgrade(
                "\(arguments.contains("--as") ? "" : "--as md5") \(cheap) \(arguments)",
                table: table,
                id: id
            )
            XCTAssertEqual(Int(outcome.status), status, "\(table) \(id) \(arguments): \(outcome.errors)")
            XCTAssertTrue(outcome.errors.contains(message), "\(table) \(id) \(arguments): \(outcome.errors)")
            XCTAssertFalse(outcome.errors.contains(md5))
        }
        try sql("ALTER ROLE postgres RESET search_path; DROP SCHEMA first CASCADE")
        let binary = try upgrade("--as md5 --hash-column bin")
        XCTAssertEqual(binary.status, 65, binary.errors)
        XCTAssertTrue(binary.errors.contains("of the type bytea"), binary.errors)
        XCTAssertEqual(try sql("SELECT DISTINCT hash FROM users UNION SELECT hash FROM narrow"), [[md5]])
    }

    /// Rights, row-level security, and a table of leases that another role has prepared.
    func testMissingRightsAreNamed() throws {
        let server = try XCTUnwrap(server)
        try sql(
            """
            CREATE ROLE clerk LOGIN PASSWORD 'pw'; CREATE ROLE other;
            CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO clerk;
            CREATE TABLE app.users (id int PRIMARY KEY, hash text);
            INSERT INTO app.users VALUES (1, '\(md5)');
            """
        )
        func attempt() throws -> Shell.Outcome {
            try XCTUnwrap(shell).run(
                """
                echo '*:*:*:*:pw' > pass; chmod 600 pass; export PGPASSFILE=$PWD/pass
                credkit upgrade --database "\(server.connectionString(role: "clerk"))" --table app.users --id-column id \
                    --hash-column hash --as md5 \(cheap)
                """
            )
        }
        let number = try sql("SELECT 'app.users'::regclass::oid")[0][0]
        for (grant, status, message) in [
            ("", 77, "grant it SELECT on the column"),
            ("GRANT SELECT ON app.users TO clerk", 77, "grant it UPDATE on the column"),
            ("GRANT UPDATE (hash) ON app.users TO clerk", 77, "permission denied for schema app"),
            (
                "GRANT CREATE ON SCHEMA app TO clerk; CREATE TABLE app.credkit_upgrade_\(number) (); "
                    + "ALTER TABLE app.credkit_upgrade_\(number) OWNER TO other", 77,
                "belongs to another role"
            ),
            (
                "DROP TABLE app.credkit_upgrade_\(number); CREATE TYPE app.credkit_upgrade_\(number) AS ENUM ()",
                65,
                "type \"credkit_upgrade_\(number)\" already exists"
            ),
            (
                "DROP TYPE app.credkit_upgrade_\(number); ALTER TABLE app.users ENABLE ROW LEVEL SECURITY",
                77,
                "row-level security"
            ), ("ALTER TABLE app.users DISABLE ROW LEVEL SECURITY", 0, "1 hashes layered"),
        ] {
            try sql(grant + ";")
            let outcome = try attempt()
            XCTAssertEqual(Int(outcome.status), status, grant + outcome.errors)
            XCTAssertTrue(outcome.errors.contains(message), grant + outcome.errors)
        }
    }

    // MARK: Runs

    func testInterruptedRunContinuesWithTheSameOptionsOnly() throws {
        try sql(
            "CREATE TABLE users (id int PRIMARY KEY, hash text); INSERT INTO users SELECT g, md5(g::text) FROM generate_series(1, 200) g"
        )
        let server = try XCTUnwrap(server)
        let outcome = try XCTUnwrap(shell).run(
            """
            export PGHOST=\(server.folder.path) PGPORT=\(server.port) PGUSER=postgres
            upgrade="credkit upgrade --database dbname=postgres --table users --id-column id --hash-column hash --as md5 --batch 20"
            $upgrade --memory 64MiB --passes 1 & child=$!
            until [ "$(psql -X -At -c "SELECT count(*) FROM users WHERE hash LIKE '$%'")" -ge 10 ]; do sleep 0.02; done
            kill -TERM $child; wait $child; echo $?
            $upgrade --memory 128KiB --passes 1; echo $?
            psql -X -q -c "UPDATE users SET hash = 'nonsense' WHERE id > 150"
            $upgrade --memory 64MiB --passes 1 2> rest; echo $?; grep -c 'id [0-9]*: unrec' rest
            """
        )
        XCTAssertEqual(outcome.text, "143\n65\n65\n20\n", outcome.errors)
        XCTAssertTrue(outcome.errors.contains("run the same command again to continue"), outcome.errors)
        XCTAssertTrue(outcome.errors.contains("begun with other options"), outcome.errors)
        XCTAssertEqual(try sql("SELECT relname FROM pg_class WHERE relname LIKE 'credkit%'"), [])
    }

    func testTableOfUndeclaredHashesEndsEarly() throws {
        try sql(
            "CREATE TABLE users (id int PRIMARY KEY, hash text); INSERT INTO users SELECT g, md5(g::text) FROM generate_series(1, 1500) g"
        )
        let outcome = try upgrade(cheap)
        XCTAssertEqual(outcome.status, 65, outcome.errors)
        XCTAssertEqual(outcome.errors.split(separator: "\n").count, 1, outcome.errors)
        XCTAssertTrue(outcome.errors.contains("none of the first 1000 records"), outcome.errors)
        XCTAssertEqual(try sql("SELECT count(*) FROM users WHERE hash LIKE '$%'"), [["0"]])
        XCTAssertEqual(try sql("SELECT relname FROM pg_class WHERE relname LIKE 'credkit%'"), [])
    }

    /// No input is kept of a table that is changed in place.
    func testHashesOfOtherProgramsNeedTheOption() throws {
        try sql(
            "CREATE TABLE users (id int PRIMARY KEY, hash text); INSERT INTO users VALUES (7, '{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=')"
        )
        let refused = try upgrade(cheap)
        XCTAssertEqual(refused.status, 64, refused.errors)
        XCTAssertTrue(
            refused.errors.contains("id 7 has a hash that other programs read (ldap-sha)"),
            refused.errors
        )
        XCTAssertEqual(try sql("SELECT count(*) FROM users WHERE hash LIKE '{%'"), [["1"]])
        let outcome = try upgrade("--allow-incompatible \(cheap)")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        let lines = outcome.errors.split(separator: "\n")
        XCTAssertEqual(lines.count, 3, outcome.errors)
        XCTAssertEqual(lines.first?.hasSuffix("cannot read layered hashes"), true, outcome.errors)
        XCTAssertEqual(lines.last, "credkit: 1 hashes layered, 0 records kept, 0 not verifiable")
    }

    func testServerThatEndsMeanwhileIsReported() throws {
        let server = try PostgreSQLServer()
        defer { server.stop() }
        try server.run(
            "CREATE TABLE users (id int PRIMARY KEY, hash text); INSERT INTO users SELECT g, md5(g::text) FROM generate_series(1, 500) g"
        )
        let outcome = try XCTUnwrap(shell).run(
            """
            export PGHOST=\(server.folder.path) PGPORT=\(server.port) PGUSER=postgres
            credkit upgrade --database dbname=postgres --table users --id-column id --hash-column hash --as md5 --memory 32MiB & child=$!
            until [ "$(psql -X -At -c "SELECT count(*) FROM users WHERE hash LIKE '$%'")" -ge 10 ]; do sleep 0.02; done
            kill -QUIT $(head -n 1 $PGHOST/data/postmaster.pid)
            wait $child; echo $?
            credkit upgrade --database dbname=postgres --table users --id-column id --hash-column hash --as md5; echo $?
            """
        )
        XCTAssertEqual(outcome.text, "69\n69\n", outcome.errors)
        XCTAssertTrue(outcome.errors.contains("run the same command again to continue"), outcome.errors)
    }

    func testPasswordsInConnectionStringsAreRefused() throws {
        for connection in [
            "host=localhost password=hunter2", "postgresql://bob:hunter2@localhost/db",
            "postgresql://localhost/db?password=hunter2",
        ] {
            let outcome = try XCTUnwrap(shell).run(
                "credkit upgrade --database '\(connection)' --table users --id-column id --hash-column hash --as md5"
            )
            XCTAssertEqual(outcome.status, 64, outcome.errors)
            XCTAssertTrue(outcome.errors.contains("PGPASSFILE"), outcome.errors)
            XCTAssertFalse(outcome.errors.contains("hunter2"), outcome.errors)
        }
    }

    // MARK: Names

    func testNamesAreReadAsTyped() {
        for (text, schema, table) in [
            ("users", nil, "users"), ("Users", nil, "Users"), ("app.users", "app", "users"),
            (#""my.app"."a""b""#, "my.app", #"a"b"#), (#"app."u.v""#, "app", "u.v"), ("a b", nil, "a b"),
        ] as [(String, String?, String)] {
            XCTAssertEqual(SQLName(text), SQLName(schema: schema, table: table), text)
        }
        for text in ["", ".", "a.", ".a", "a.b.c", #""a"#, #""a"b"#, #"a"b"#, #""""#, #""a"."#] {
            XCTAssertNil(SQLName(text), text)
        }
        XCTAssertEqual(SQLName(schema: #"a"b"#, table: "c.d").quoted, #""a""b"."c.d""#)
    }
}
