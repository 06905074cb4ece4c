// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTestSupport
import Foundation
import XCTest

/// The ways to log in that `credkit-server` offers: those that suit the users file, or those of its options.
final class ServerMechanismTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws {
        shell = try Shell(programs: ["credkit-server"])
        let equivalent = Legacy.TimestampedLogin(keyPhrase: "itheima").passwordEquivalent(for: "s3cret")
        let layered = try SCRAM.Verifier(passwordEquivalent: equivalent, iterations: .fewer(4096))
        let verifier = try SCRAM.Verifier(password: "s3cret", iterations: .fewer(4096))
        let other = try SCRAM.Verifier(password: "s3cret", hashFunction: .sha512, iterations: .fewer(4096))
        let hash = "$1$abc$iCQ2D3nhptRYi27fDYv2s1"
        let record = SCRAM.Record(layered, of: .passwordEquivalent).text
        for (name, credentials) in [
            ("old", [equivalent.hex, equivalent.hex]), ("hashes", [hash]),
            ("partial", [hash, equivalent.hex]),
            ("verifiers", [verifier.text(), record]), ("mixed", [hash, equivalent.hex, verifier.text()]),
            ("other", [other.text()]), ("others", [other.text(), hash]),
            ("both", [StoredCredential(passwordEquivalent: equivalent, verifier: layered).text]),
        ] {
            let lines = credentials.enumerated().map { "user\($0):\($1)\n" }.joined()
            let file = shell.folder.appendingPathComponent(name)
            try lines.write(to: file, atomically: true, encoding: .utf8)
            XCTAssertEqual(chmod(file.path, 0o600), 0)
        }
        let phrase = shell.folder.appendingPathComponent("phrase")
        try "itheima".write(to: phrase, atomically: true, encoding: .utf8)
        XCTAssertEqual(chmod(phrase.path, 0o600), 0)
    }

    override func tearDown() { shell.remove() }

    private let phrase = "--key-phrase-file phrase"

    /// Runs the server with options with which it does not start, and its check with the same options.
    private func refusal(_ options: String) throws -> Shell.Outcome {
        let start = try shell.run("credkit-server --listen 127.0.0.1:0 \(options)")
        let check = try shell.run("credkit-server check --listen 127.0.0.1:0 \(options)")
        XCTAssertEqual(check.status, start.status, options)
        XCTAssertEqual(check.errors, start.errors, options)
        XCTAssertTrue(start.output.isEmpty, options)
        return start
    }

    /// Returns the statuses of the ways to log in, and the log. The check must print the same lines.
    private func statuses(_ options: String) throws -> (statuses: String, log: String) {
        let server = try ServerProcess(shell, "credkit-server --listen 127.0.0.1:0 --quiet \(options)")
        let log = server.errors
        let check = try shell.run("credkit-server check --listen 127.0.0.1:0 \(options)")
        XCTAssertEqual(check.status, 0, check.errors)
        let counted = /users cannot log in by [a-z ]+(;|$)/
        XCTAssertEqual(
            log.split(separator: "\n").filter { $0.contains(counted) },
            check.errors.split(separator: "\n").filter { $0.contains(counted) }
        )
        for line in check.errors.split(separator: "\n") {
            XCTAssertTrue(log.contains(line), "\(line)\n\(log)")
        }
        let outcome = try shell.run(
            """
            seen() { curl -s -o /dev/null -w '%{http_code}\\n' "$@"; }
            echo $(seen \(server.url)/hmackey.php) $(seen -d username=a -d password=b \(server.url)/loginhmac.php) \
                $(seen -d username=a -d password=b \(server.url)/login.php) $(seen -X POST \(server.url)/scram)
            """
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        return (outcome.text.trimmingCharacters(in: .newlines), log)
    }

    func testDefaultSuitsTheUsersFile() throws {
        let (form, scram) = ("404 404 200 404", "404 404 404 401")
        for (options, expected, warning) in [
            ("--users hashes", form, nil), ("--users verifiers", scram, nil), ("--users both", scram, nil),
            // A key phrase permits form logins with password-equivalents; the legacy login must be asked for.
            ("--users old \(phrase)", form, nil), ("--users partial \(phrase)", form, nil),
            (
                "--users partial", form,
                "1 of 2 users cannot log in by form; 1 can by --mechanism timestamp, or by form if a key phrase is given"
            ),
            (
                "--users mixed", scram,
                "2 of 3 users cannot log in by scram; 1 can by --mechanism timestamp, or by form if a key phrase is given"
            ),
        ] as [(String, String, String?)] {
            let seen = try statuses(options)
            XCTAssertEqual(seen.statuses, expected, options)
            if let warning {
                XCTAssertTrue(seen.log.contains("credkit-server: \(warning) (--key-phrase-file)\n"), seen.log)
            } else {
                XCTAssertFalse(seen.log.contains("cannot log in"), seen.log)
            }
        }
    }

    func testChosenMechanismsAreServedAlone() throws {
        for (options, expected, warning) in [
            ("--users old --mechanism timestamp \(phrase)", "200 200 404 404", nil),
            ("--users both --mechanism timestamp \(phrase)", "200 200 404 404", nil),
            (
                "--users partial --mechanism timestamp \(phrase)", "200 200 404 404",
                "1 of 2 users cannot log in by timestamp"
            ),
            ("--users partial --mechanism timestamp --mechanism form \(phrase)", "200 200 200 404", nil),
            (
                "--users mixed --mechanism timestamp --mechanism scram \(phrase)", "200 200 404 401",
                "1 of 3 users cannot log in by scram or timestamp"
            ),
            ("--users others --mechanism form", "404 404 200 404", nil),
        ] as [(String, String, String?)] {
            let seen = try statuses(options)
            XCTAssertEqual(seen.statuses, expected, options)
            if let warning {
                XCTAssertTrue(seen.log.contains("credkit-server: \(warning)\n"), seen.log)
            } else {
                XCTAssertFalse(seen.log.contains("cannot log in by form"), seen.log)
                XCTAssertFalse(seen.log.contains("cannot log in by timestamp"), seen.log)
            }
        }
    }

    /// Without a mechanism for any user, the server does not start.
    func testUsersWhoCannotLogInAreRefusedAtTheStart() throws {
        let equivalents =
            "can by --mechanism timestamp, or by form if a key phrase is given (--key-phrase-file)"
        for (options, message) in [
            ("--users old", "old: 2 of 2 users cannot log in by form; 2 \(equivalents)"),
            ("--users old --mechanism form", "old: 2 of 2 users cannot log in by form; 2 \(equivalents)"),
            (
                "--users old --mechanism scram \(phrase)",
                "old: 2 of 2 users cannot log in by scram; 2 \(equivalents)"
            ),
            (
                "--users old --mechanism form --mechanism scram",
                "old: 2 of 2 users cannot log in by form or scram; 2 \(equivalents)"
            ),
            (
                "--users hashes --mechanism timestamp \(phrase)",
                "hashes: 1 of 1 users cannot log in by timestamp"
            ),
            (
                "--users verifiers --mechanism timestamp \(phrase)",
                "verifiers: 2 of 2 users cannot log in by timestamp"
            ),
            ("--users other --mechanism scram", "other: 1 of 1 users cannot log in by scram"),
        ] {
            let outcome = try refusal(options)
            XCTAssertEqual(outcome.status, 65, options)
            XCTAssertEqual(outcome.errors, "credkit-server: \(message)\n")
        }
        for users in ["other", "others"] {
            let outcome = try refusal("--users \(users)")
            XCTAssertEqual(outcome.status, 65, users)
            XCTAssertTrue(
                outcome.errors.contains("\(users): its SCRAM verifiers are not of SCRAM-SHA-256"),
                outcome.errors
            )
            XCTAssertTrue(outcome.errors.contains("--mechanism"), outcome.errors)
        }
    }

    /// Refused before a file is read.
    func testTimestampedLoginRequiresAKeyPhrase() throws {
        for (program, options) in [
            ("credkit-server", "--users old --mechanism timestamp"),
            ("credkit-server", "--users none --mechanism scram --mechanism timestamp"),
            ("credkit-server check", "--users old --mechanism timestamp"),
        ] {
            let outcome = try shell.run("\(program) \(options)")
            XCTAssertEqual(outcome.status, 64, options)
            XCTAssertTrue(
                outcome.errors.contains(
                    "exactly one of --key-phrase, --key-phrase-file and --key-phrase-fd"
                ),
                outcome.errors
            )
        }
    }

    /// The answers name the mechanism, also below /api and to methods that the endpoint would not have.
    func testPathsOfTheLegacyLoginAreNotFoundWithoutIt() throws {
        let server = try ServerProcess(
            shell,
            "credkit-server --listen 127.0.0.1:0 --quiet --users partial \(phrase)"
        )
        let outcome = try shell.run(
            """
            for path in hmackey.php api/hmackey.php loginhmac.php api/loginhmac.php; do
                for method in GET POST; do
                    curl -s -X $method -w '%{http_code}\\n' -d username=user1 -d password=b \(server.url)/$path
                done
            done | sort | uniq -c | tr -s ' '
            """
        )
        XCTAssertEqual(
            outcome.text,
            #"""
             8 404
             8 {"code":404,"data":null,"msg":"this server has no login by the mechanism timestamp"}

            """#,
            outcome.errors
        )
    }

    func testThereIsNoCommandMechanisms() throws {
        let outcome = try shell.run("credkit-server mechanisms")
        XCTAssertEqual(outcome.status, 64)
    }
}
