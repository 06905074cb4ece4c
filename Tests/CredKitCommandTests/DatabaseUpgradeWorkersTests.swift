// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

/// `credkit upgrade --database`: several workers upgrade one table while users log in.
final class DatabaseUpgradeWorkersTests: XCTestCase {
    /// `CREDKIT_FULL_COST=1` uses the recommended cost and 20,000 rows, and takes minutes.
    private let isFull = ProcessInfo.processInfo.environment["CREDKIT_FULL_COST"] == "1"

    private var count: Int { isFull ? 20_000 : 450 }

    private func makeTable(_ server: PostgreSQLServer, _ context: PasswordContext) throws {
        let fresh = try (0..<20).map { "(\($0), '\(try context.hash("login \($0)"))')" }
        try server.run(
            """
            CREATE TABLE users (id bigint PRIMARY KEY, hash text NOT NULL, visits int NOT NULL DEFAULT 0);
            INSERT INTO users SELECT g, md5('password ' || g) FROM generate_series(1, \(count)) g;
            ANALYZE users;
            CREATE TABLE stop (now boolean);
            CREATE TABLE fresh (number int, hash text);
            INSERT INTO fresh VALUES \(fresh.joined(separator: ","));
            CREATE TABLE attempts (at serial, id bigint, number int, won boolean, late boolean, ms float8);
            -- Each login reads a hash, verifies it, and replaces it with a newer one if it is still the same.
            CREATE PROCEDURE logins() LANGUAGE plpgsql AS $$
            DECLARE pick bigint; old text; login int; rows int; is_late boolean; start timestamptz;
            BEGIN
                WHILE NOT EXISTS (SELECT FROM stop) LOOP
                    pick := 3 * (1 + floor(random() * \(count / 3)));
                    login := floor(random() * 20);
                    SELECT hash INTO old FROM users WHERE id = pick;
                    PERFORM pg_sleep(0.004);
                    start := clock_timestamp();
                    BEGIN
                        UPDATE users SET hash = (SELECT hash FROM fresh WHERE number = login)
                            WHERE id = pick AND hash = old;
                        GET DIAGNOSTICS rows = ROW_COUNT;
                        is_late := false;
                    EXCEPTION WHEN lock_not_available THEN
                        rows := 0;
                        is_late := true;
                    END;
                    INSERT INTO attempts (id, number, won, late, ms) VALUES
                        (pick, login, rows = 1, is_late, 1000 * extract(epoch FROM clock_timestamp() - start));
                    COMMIT;
                END LOOP;
            END $$;
            -- A transaction that keeps a row locked must not make logins of other rows wait.
            CREATE PROCEDURE slow() LANGUAGE plpgsql AS $$
            BEGIN
                WHILE NOT EXISTS (SELECT FROM stop) LOOP
                    UPDATE users SET visits = visits + 1 WHERE id % 30 = 1;
                    PERFORM pg_sleep(0.15);
                    COMMIT;
                    PERFORM pg_sleep(0.1);
                END LOOP;
            END $$;
            """
        )
    }

    /// Runs three workers, of which one is killed at a time and another one takes its place.
    private func runWorkers(_ server: PostgreSQLServer, _ shell: Shell) throws -> Shell.Outcome {
        let kills =
            isFull
            ? "for victim in 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2 0 1 2; do sleep 5; hit $victim; done"
            : "for victim in 0 1 2; do reach $((40 + victim * 90)); hit $victim; done"
        return try shell.run(
            """
            export PGHOST=\(server.folder.path) PGPORT=\(server.port) PGUSER=postgres
            start() {
                credkit upgrade --database "dbname=postgres" --table users --id-column id --hash-column hash --as md5 \
                    \(isFull ? "" : "--memory 8MiB --passes 1") --workers 1 --batch 40 --lease 1 --json >> counts & workers[$1]=$!
            }
            # Those that have ended need no successor.
            hit() { ! kill -9 ${workers[$1]} || { echo killed >> kills; wait ${workers[$1]}; start $1; } 2>/dev/null; }
            reach() {
                until [ "$(psql -X -At -c "SELECT count(*) FROM users WHERE hash NOT LIKE '________________________________'")" -ge $1 ]
                do sleep 0.02; done
            }
            for worker in 0 1 2; do start $worker; done
            \(kills)
            for worker in 0 1 2; do wait ${workers[$worker]} || exit; done
            wc -l < kills
            """
        )
    }

    func testEachRowIsUpgradedOnceWhileWorkersAreKilledAndUsersLogIn() throws {
        let server = try PostgreSQLServer(settings: ["max_connections": "50"])
        defer { server.stop() }
        let shell = try Shell()
        defer { shell.remove() }
        var policy = PasswordPolicy.recommended
        if !isFull { policy.preferred = try .argon2id(memory: .mebibytes(8), passes: 1) }
        let context = try PasswordContext(policy: policy)
        try makeTable(server, context)

        let background = DispatchGroup()
        // Each thread runs psql of its own.
        nonisolated(unsafe) let database = server
        let failures = Failures()
        for procedure in ["logins", "slow"] {
            DispatchQueue.global().async(group: background) {
                do {
                    try database.run("SET lock_timeout = '50ms'; CALL \(procedure)();")
                } catch {
                    failures.note("\(error)")
                }
            }
        }
        let outcome = try runWorkers(server, shell)
        try server.run("INSERT INTO stop VALUES (true)")
        background.wait()
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        XCTAssertGreaterThanOrEqual(
            Int(outcome.text.trimmingCharacters(in: .whitespacesAndNewlines)) ?? 0,
            2,
            "workers were killed"
        )

        let lost = try server.run(
            """
            SELECT count(*) FROM (SELECT DISTINCT ON (id) id, number FROM attempts WHERE won ORDER BY id, at DESC) a
            JOIN users USING (id) JOIN fresh USING (number) WHERE users.hash <> fresh.hash
            """
        )
        XCTAssertEqual(lost, [["0"]], "a login's new hash was overwritten")
        let waits = try server.run(
            "SELECT count(*), count(*) FILTER (WHERE late), round(max(ms)), count(*) FILTER (WHERE won) FROM attempts"
        )[0].map { Int($0) ?? -1 }
        XCTAssertGreaterThan(waits[3], 50, "users log in meanwhile")
        // Other programs on the machine can delay a commit.
        XCTAssertLessThanOrEqual(waits[1], isFull ? 0 : waits[0] / 100, "logins that waited for 50 ms")
        print("logins: \(waits[0]), those that waited for 50 ms: \(waits[1]), longest: \(waits[2]) ms")
        XCTAssertEqual(try server.run("SELECT relname FROM pg_class WHERE relname LIKE 'credkit%'"), [])
        try check(try server.run(Self.rowsWithLogins), context, failures)
        XCTAssertEqual(failures.all, [])
    }

    private static let rowsWithLogins = """
        SELECT id, users.hash, coalesce((SELECT number FROM fresh WHERE fresh.hash = users.hash), -1) FROM users ORDER BY id
        """

    /// Requires that each row verifies with its own password or that of the login that changed it, and with no other.
    private func check(_ rows: [[String]], _ context: PasswordContext, _ failures: Failures) throws {
        XCTAssertEqual(rows.count, count)
        DispatchQueue.concurrentPerform(iterations: rows.count) { index in
            let row = rows[index]
            let isLayered = row[1].hasPrefix("$layered-argon2id$")
            let password = isLayered ? "password \(row[0])" : "login \(row[2])"
            let isMatch = (try? context.verify(password, against: row[1]))?.isMatch
            if isMatch != true || row[2] == "-1" && !isLayered { failures.note("\(row)") }
        }
    }

    private final class Failures: @unchecked Sendable {
        private let lock = NSLock()
        private var notes: [String] = []
        var all: [String] { lock.withLock { notes } }
        func note(_ text: String) { lock.withLock { notes.append(text) } }
    }
}
