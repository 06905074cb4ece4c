// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Users in a table of PostgreSQL.
final class DatabaseUsersTests: XCTestCase {
    private var server: PostgreSQLServer!
    private var shell: Shell!

    override func setUpWithError() throws {
        shell = try Shell(programs: ["credkit", "credkit-server"])
        server = try PostgreSQLServer()
        let outcome = try shell.run("umask 077; printf of-the-tests > password")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        try server.run(
            """
            CREATE ROLE app LOGIN PASSWORD 'of-the-tests';
            CREATE SCHEMA "My App";
            CREATE TABLE "My App".users (number int PRIMARY KEY, "user name" text UNIQUE, hash text);
            GRANT USAGE ON SCHEMA "My App" TO app;
            GRANT SELECT, UPDATE (hash) ON "My App".users TO app;
            """
        )
    }

    override func tearDown() {
        shell?.remove()
        (server, shell) = (nil, nil)
    }

    private var options: String {
        """
        --key-phrase x --users-database postgresql://app@127.0.0.1:\(server.port)/postgres --users-password-file password \
        --users-table '"My App".users' --users-name-column 'user name' --users-credential-column hash
        """
    }

    /// Stores what a command prints as the credential of a user.
    private func add(_ number: Int, _ name: String, _ command: String) throws {
        let outcome = try shell.run("printf 123456 | \(command)")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        let record = outcome.text.split(separator: "\n")[0]
        try server.run(#"INSERT INTO "My App".users VALUES (\#(number), '\#(name)', '\#(record)')"#)
    }

    private func start(_ more: String) throws -> ServerProcess {
        try ServerProcess(shell, "credkit-server --listen 127.0.0.1:0 --quiet \(options) \(more)")
    }

    /// The form's answer.
    private func form(_ url: String, _ name: String) throws -> String {
        try shell.run("curl -s --data-urlencode 'username=\(name)' -d password=123456 \(url)/login.php").text
            .trimmingCharacters(in: .newlines)
    }

    func testUsersOfEachKindLogIn() throws {
        try add(7, "alice", "credkit hash legacy timestamp --key-phrase x --password-equivalent")
        try add(8, "bob", "credkit hash argon2id")
        try server.run(#"INSERT INTO "My App".users VALUES (9, 'none', NULL), (10, 'odd', 'no credential')"#)
        let process = try start("--mechanism timestamp --mechanism form --users-id-column number")
        XCTAssertEqual(try form(process.url, "bob"), #"{"userId":8,"userName":"bob"}"#)
        XCTAssertEqual(try form(process.url, "alice"), #"{"userId":7,"userName":"alice"}"#)
        let wrong = try form(process.url, "none")
        XCTAssertTrue(wrong.contains("wrong user name or password"), wrong)
        for name in ["carol", "BOB", "bob ", "' OR true --", "%", ""] {
            let answer = try form(process.url, name)
            XCTAssertFalse(answer.contains("userName"), answer)
        }
        XCTAssertTrue(
            try form(process.url, "odd").contains("error") || !form(process.url, "odd").contains("userName")
        )
        // What changes in the table counts at once.
        try server.run(#"UPDATE "My App".users SET hash = NULL WHERE number = 8"#)
        XCTAssertFalse(try form(process.url, "bob").contains("userName"))
        // A removed user has no session any more.
        let token = try shell.run(
            """
            curl -s -i -d 'username=alice&password=123456' \(process.url)/login.php | tr -d '\\r' | sed -n 's/^x-auth-token: //Ip'
            """
        )
        func session() throws -> String {
            let token = token.text.trimmingCharacters(in: .newlines)
            return try shell.run(
                "curl -s -w '%{http_code}' -H 'x-auth-token: \(token)' \(process.url)/auth/session"
            )
            .text
        }
        XCTAssertEqual(
            try session(),
            #"{"code":0,"data":{"userId":7,"userName":"alice"},"msg":"logged in"}"# + "\n200"
        )
        try server.run(#"DELETE FROM "My App".users WHERE number = 7"#)
        XCTAssertEqual(try session(), #"{"code":401,"data":null,"msg":"log in first"}"# + "\n401")
    }

    /// Neither a new password nor another person of the name gets the session of a user who was removed or disabled.
    func testSessionsOfRemovedUsersDoNotComeBack() throws {
        let process = try start("--mechanism form --users-id-column number")
        for change in ["hash = NULL", "hash = '!'", "DELETE"] {
            try add(8, "bob", "credkit hash argon2id")
            let outcome = try shell.run(
                """
                curl -s -c jar -o /dev/null -d username=bob -d password=123456 \(process.url)/login.php
                curl -s -b jar \(process.url)/auth/session
                """
            )
            XCTAssertTrue(outcome.text.contains("logged in"), outcome.text)
            let statement = change == "DELETE" ? "DELETE FROM" : "UPDATE"
            try server.run(#"\#(statement) "My App".users \#(change == "DELETE" ? "" : "SET \(change)")"#)
            let check = "curl -s -o /dev/null -w '%{http_code}' -b jar \(process.url)/auth/session"
            XCTAssertEqual(try shell.run(check).text, "401", change)
            try server.run(#"DELETE FROM "My App".users"#)
            try add(9, "bob", "credkit hash argon2id")
            XCTAssertEqual(try shell.run(check).text, "401", change)
            try server.run(#"DELETE FROM "My App".users"#)
        }
    }

    func testUsersLogInBySCRAM() throws {
        try add(1, "carol", "credkit hash scram-sha-256 --iterations 4096")
        let process = try start("--mechanism scram --mock-key-file mocks")
        let outcome = try shell.run("cat mocks")
        XCTAssertTrue(outcome.text.contains("kind 4096 16 p 1"), outcome.text)
        let login =
            "printf 123456 > given; credkit login \(process.url) --password-file given --mechanism scram --user carol"
        let answer = try shell.run(login)
        XCTAssertEqual(answer.status, 0, answer.errors)
    }

    func testHashesAreReplacedInTheTable() throws {
        let weak = "credkit hash argon2id --memory 1MiB --passes 1"
        try add(1, "alice", weak)
        try add(2, "bob", weak)
        let process = try start("--mechanism form --replace-hashes --users-id-column number")
        XCTAssertEqual(try form(process.url, "alice"), #"{"userId":1,"userName":"alice"}"#)
        let replaced = #"SELECT number FROM "My App".users WHERE hash NOT LIKE '%m=1024,%'"#
        XCTAssertEqual(try server.run(replaced), [["1"]])
        // What cannot be replaced is said, and the login goes on.
        try server.run(#"REVOKE UPDATE (hash) ON "My App".users FROM app"#)
        XCTAssertEqual(try form(process.url, "bob"), #"{"userId":2,"userName":"bob"}"#)
        XCTAssertEqual(try server.run(replaced), [["1"]])
        let check = "credkit-server check --listen 127.0.0.1:0 --mechanism form \(options)"
        XCTAssertEqual(try shell.run(check).status, 0)
        let refused = try shell.run("\(check) --replace-hashes")
        XCTAssertEqual(refused.status, 69, refused.errors)
        XCTAssertTrue(refused.errors.contains("cannot change the table of users"), refused.errors)
    }

    func testAnUnusableTableIsNamedAtTheStart() throws {
        func check(_ options: String) throws -> Shell.Outcome {
            try shell.run("credkit-server check --listen 127.0.0.1:0 --mechanism form \(options)")
        }
        XCTAssertEqual(try check(options).text, "ok: the table of users can be read\n")
        for (change, expected) in [
            ("hash", "other"), ("'user name'", "other"), ("'\"My App\".users'", "public.other"),
        ] {
            let outcome = try check(options.replacingOccurrences(of: change, with: expected))
            XCTAssertEqual(outcome.status, 69, outcome.errors)
            XCTAssertTrue(outcome.errors.contains("cannot read the table of users"), outcome.errors)
        }
        try server.run(#"REVOKE SELECT ON "My App".users FROM app"#)
        let refused = try check(options)
        XCTAssertEqual(refused.status, 69)
        XCTAssertTrue(refused.errors.contains("permission denied"), refused.errors)
        for (arguments, expected) in [
            ("--users f --mechanism form \(options)", "one of them"),
            ("--mechanism form", "one of them"),
            ("--users-database postgresql:///x --mechanism form", "--users-table"),
            ("--users f --users-table t", "--users-database"),
            (
                "--users-database postgresql:///x --users-table t --users-name-column n --users-credential-column c "
                    + "--mechanism form", "with its schema"
            ),
            (options, "--mechanism"),
            (
                "--users-database postgresql://u:s3cret@h/x --users-table s.t --users-name-column n --users-credential-column c "
                    + "--mechanism form", "--users-password-file"
            ),
        ] {
            let outcome = try shell.run("credkit-server --key-phrase x \(arguments)")
            XCTAssertEqual(outcome.status, 64, arguments)
            XCTAssertTrue(outcome.errors.contains(expected), outcome.errors)
            XCTAssertFalse(outcome.errors.contains("s3cret"), outcome.errors)
        }
    }
}
