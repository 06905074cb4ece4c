// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTestSupport
import Foundation
import XCTest

/// SCRAM at a `credkit-server`, with a Python client written from the RFCs.
final class SCRAMServerTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws {
        shell = try Shell(programs: ["credkit", "credkit-server"])
        let equivalent = Legacy.TimestampedLogin(keyPhrase: "itheima").passwordEquivalent(for: "s3cret")
        let layered = try SCRAM.Verifier(passwordEquivalent: equivalent, iterations: .fewer(4096))
        let plain = try SCRAM.Verifier(password: "s3cret", iterations: .fewer(4096))
        let users = [
            "zero:\(equivalent.hex)",
            "one:\(StoredCredential(passwordEquivalent: equivalent, verifier: layered).text)",
            "two:\(SCRAM.Record(layered, of: .passwordEquivalent).text)",
            "three:\(plain.text())", "dove:\(plain.text(.dovecot))",
        ]
        try users.joined(separator: "\n").write(
            to: shell.folder.appendingPathComponent("users"),
            atomically: true,
            encoding: .utf8
        )
        XCTAssertEqual(try shell.run("cp '\(TestScripts.folder.path)'/python_*_client.py .").status, 0)
    }

    override func tearDown() { shell.remove() }

    private func serve(_ options: String = "") throws -> ServerProcess {
        try ServerProcess(
            shell,
            "credkit-server --key-phrase itheima --users users --listen 127.0.0.1:0 \(options)"
        )
    }

    private func see(_ scenario: String, _ server: ServerProcess, _ options: String = "{}") throws -> String {
        let outcome = try shell.run("python3 python_scram_client.py \(scenario) \(server.url) '\(options)'")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        return outcome.text.trimmingCharacters(in: .newlines)
    }

    func testEachStateLogsIn() throws {
        let server = try serve("--mechanism timestamp --mechanism scram --mock-key-file mocks")
        for (user, isLayered, isRight) in [
            ("zero", true, false), ("one", true, true), ("two", true, true), ("three", false, true),
            ("dove", false, true),
            ("two", false, false), ("three", true, false),
        ] {
            let seen = try see(
                "login",
                server,
                #"{"user": "\#(user)", "password": "s3cret", "layered": \#(isLayered)}"#
            )
            XCTAssertEqual(
                seen,
                isRight
                    ? #"{"login": [200, true], "user": "\#(user)", "session": [200, "\#(user)"], "answer": "v="}"#
                    : #"{"login": [401, false], "user": null, "session": [401, null], "answer": "e="}"#,
                user
            )
        }
        let old = try shell.run(
            """
            python3 - \(server.url) <<'END'
            import sys; from python_login_client import *
            print([Client(sys.argv[1]).log_in(user, "s3cret") for user in ["zero", "one", "two", "three"]])
            END
            """
        )
        XCTAssertEqual(old.text, "[[200, 1], [200, 2], [200, -1], [200, -1]]\n", old.errors)
        XCTAssertEqual(server.stop(), 0)
        XCTAssertTrue(server.errors.contains("4 logins by the mechanism scram, of 4 users"), server.errors)
        XCTAssertTrue(
            server.errors.contains("2 logins by the mechanism timestamped, of 2 users"),
            server.errors
        )
    }

    func testMechanismsAreListedAndMalformedHeadersRefused() throws {
        XCTAssertEqual(
            try see("list", serve()),
            #"[401, ["SCRAM-SHA-256 realm=\"credkit-server\""], 401, [400, 400, 400, 400, 400]]"#
        )
    }

    func testOneClientFinalCountsOnce() throws {
        XCTAssertEqual(
            try see(
                "crowd",
                serve("--attempts 1000"),
                #"{"user": "three", "password": "s3cret", "count": 64}"#
            ),
            #"{"[200, true]": 1, "[401, false]": 63}"#
        )
    }

    func testRejectionsLookAlike() throws {
        XCTAssertEqual(
            try see("rejections", serve(), #"{"user": "three", "password": "s3cret"}"#),
            #"{"wrong": [401, false, "e=invalid-proof", false, -1], "#
                + #""unknown": [401, false, "e=invalid-proof", false, -1], "cut sid": [401, false, "", true, -1]}"#
        )
    }

    func testSaltsStayAcrossRestartsWithTheKeyFile() throws {
        let users = #"{"users": ["zero", "three", "nemo", "other"]}"#
        let first = try see("salts", serve("--mock-key-file mocks"), users)
        XCTAssertEqual(try see("salts", serve("--mock-key-file mocks"), users), first)
        XCTAssertEqual(try shell.run("stat -c %a mocks; sed 's/key .*/key …/' mocks").text.prefix(4), "600\n")
        let without = try serve()
        XCTAssertNotEqual(try see("salts", without, users), first)
        XCTAssertTrue(without.errors.contains("without --mock-key-file"), without.errors)
        for content in ["", "key AAAA\n", "kind 1 2 p 3\n", "key x y\n", "secret\n"] {
            let outcome = try shell.run(
                """
                printf '\(content)' > wrong
                credkit-server --key-phrase itheima --users users --listen 127.0.0.1:0 --mock-key-file wrong
                """
            )
            XCTAssertEqual(outcome.status, 65, content)
            XCTAssertFalse(outcome.errors.contains("secret"), outcome.errors)
        }
    }

    /// With a key file of before an upgrade, unknown names would have the old number of iterations, real ones the new.
    func testMocksOfAnotherTableAreNoticed() throws {
        let message = "the kinds of verifiers in it are not those of the users"
        let first = try serve("--mock-key-file mocks")
        let again = try serve("--mock-key-file mocks")
        XCTAssertFalse((first.errors + again.errors).contains(message), first.errors + again.errors)
        for (edit, options, isNoticed) in [
            ("/^kind .* p /d", "", false), ("/^kind .* p /d", "--mixed-verifiers", true),
            ("/^kind /s/4096/600000/", "", true),
            ("/^kind .* p /s/4096/600000/", "", true),
        ] {
            XCTAssertEqual(try shell.run("sed '\(edit)' mocks > other; chmod 600 other").status, 0)
            let server = try serve("--mock-key-file other \(options)")
            XCTAssertEqual(server.errors.contains(message), isNoticed, "\(edit) \(options) \(server.errors)")
        }
    }

    func testOptionsOfSCRAMRequireIt() throws {
        let outcome = try shell.run(
            """
            set -e
            sed -n '/^zero/p' users > old
            { cat old; printf 'five:'; printf s3cret | credkit hash scram-sha-512 --iterations 4096; } > other
            openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout key.pem -out certificate.pem \
                2> /dev/null
            """
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        let tls = "--tls-cert certificate.pem --tls-key key.pem"
        for option in [
            "--mock-key-file mocks", "--mixed-verifiers", "--replace-verifiers", "--require-channel-binding",
        ] {
            for (users, mechanism, status, message) in [
                ("users", "--mechanism timestamp", 64, "requires --mechanism scram."),
                ("old", "", 65, "credkit-server: old: there is no verifier of SCRAM-SHA-256 in it"),
                ("other", "", 65, "credkit-server: other: there is no verifier of SCRAM-SHA-256 in it"),
            ] {
                let outcome = try shell.run(
                    """
                    credkit-server --key-phrase itheima --users \(users) --listen 127.0.0.1:0 \(tls) \(mechanism) \(option)
                    """
                )
                XCTAssertEqual(outcome.status, Int32(status), outcome.errors)
                XCTAssertTrue(outcome.errors.contains(message), outcome.errors)
            }
        }
        XCTAssertEqual(try shell.run("[ ! -e mocks ]").status, 0)
        // Chosen by name, it is served without verifiers too, unless no one could log in then.
        let none = try shell.run(
            """
            credkit-server --key-phrase itheima --users old --listen 127.0.0.1:0 --mechanism scram --mock-key-file mocks
            """
        )
        XCTAssertEqual(none.status, 65, none.errors)
        XCTAssertTrue(none.errors.contains("old: 1 of 1 users cannot log in by scram"), none.errors)
        XCTAssertEqual(try shell.run("[ ! -e mocks ]").status, 0)
        let both = try serve("--users old --mechanism scram --mechanism timestamp --mock-key-file mocks")
        XCTAssertTrue(both.errors.contains("1 of 1 users cannot log in by SCRAM: "), both.errors)
    }

    func testLoginIsBoundToTheCertificate() throws {
        let outcome = try shell.run(
            """
            openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost \
                -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out certificate.pem 2> /dev/null
            openssl req -x509 -newkey ed25519 -nodes -days 1 -subj /CN=localhost \
                -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout edkey.pem -out ed.pem 2> /dev/null
            """
        )
        XCTAssertEqual(outcome.status, 0)
        let options = #"{"user": "three", "password": "s3cret", "ca": "certificate.pem"}"#
        let tls = "--tls-cert certificate.pem --tls-key key.pem"
        XCTAssertEqual(
            try see("binding", serve(tls), options),
            #"{"list": ["SCRAM-SHA-256-PLUS", "SCRAM-SHA-256"], "bound": [200, true], "#
                + #""relay": [401, false, "e=channel-bindings-dont-match"], "n": [401, true], "y": [401, false]}"#
        )
        XCTAssertEqual(
            try see("binding", serve("\(tls) --require-channel-binding"), options),
            #"{"list": ["SCRAM-SHA-256-PLUS"], "bound": [200, true], "#
                + #""relay": [401, false, "e=channel-bindings-dont-match"], "n": [401, false], "y": [401, false]}"#
        )
        let unbound = try serve("--tls-cert ed.pem --tls-key edkey.pem")
        XCTAssertTrue(unbound.errors.contains("ED25519"), unbound.errors)
        let seen = try see("list", unbound, #"{"ca": "ed.pem"}"#)
        XCTAssertTrue(seen.hasPrefix(#"[401, ["SCRAM-SHA-256 realm"#), seen)
        let required = try shell.run(
            """
            credkit-server --key-phrase itheima --users users --listen 127.0.0.1:0 --require-channel-binding \
                --tls-cert ed.pem --tls-key edkey.pem
            """
        )
        XCTAssertEqual(required.status, 65)
        XCTAssertTrue(required.errors.contains("ED25519"), required.errors)
    }

    func testVerifierIsReplacedAfterALogin() throws {
        let server = try serve("--replace-verifiers")
        XCTAssertEqual(
            try see("replacement", server, #"{"user": "two", "password": "s3cret"}"#),
            #"{"layered": [200, true], "f": "e", "statuses": [401, 400, 400, 403, 204, 403], "old": [401, false], "#
                + #""new": [200, true], "then": ["p", null]}"#
        )
        let off = try see("replacement", serve(), #"{"user": "two", "password": "s3cret"}"#)
        XCTAssertTrue(off.hasPrefix(#"{"layered": [200, true], "f": null, "#), off)
        XCTAssertTrue(off.contains(#""old": [200, true], "new": [401, false]"#), off)
    }

    func testVerifiersAreRefusedWithoutEncryption() throws {
        let server = try ServerProcess(
            shell,
            """
            credkit-server --key-phrase itheima --users users --listen 0.0.0.0:0 --allow-insecure-http --replace-verifiers
            """
        )
        let port = server.url.split(separator: ":").last ?? ""
        let outcome = try shell.run(
            """
            python3 python_scram_client.py replacement http://127.0.0.1:\(port) '{"user": "two", "password": "s3cret"}'
            """
        )
        XCTAssertTrue(
            outcome.text.contains(#""statuses": [403, 403, 403, 403, 403, 403]"#),
            outcome.text + outcome.errors
        )
        XCTAssertTrue(outcome.text.contains(#""old": [200, true]"#), outcome.text)
    }

    /// The time of a form's answer would show who has a verifier.
    func testFormIsOffBesideVerifiersUnlessChosen() throws {
        func statuses(_ users: String, _ options: String) throws -> (String, String) {
            // Of two options --users, the last counts.
            let server = try serve("--users \(users) \(options)")
            let outcome = try shell.run(
                """
                for path in hmackey.php login.php scram; do
                    curl -s -o /dev/null -w '%{http_code} ' \
                        $([ $path = hmackey.php ] || echo -X POST -d username=a -d password=b) \(server.url)/$path
                done
                """
            )
            return (outcome.text, server.errors)
        }
        let outcome = try shell.run(
            """
            set -e
            sed -n '/^zero/p' users > old
            { cat old; printf 'five:'; printf s3cret | credkit hash scram-sha-512 --iterations 4096; } > other
            { cat users; printf '\\n'; printf 'hash:'; printf s3cret | credkit hash argon2id; } > hashes
            """
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        for (users, options, expected, warning) in [
            ("old", "", "404 200 404 ", nil),
            ("old", "--mechanism timestamp --mechanism form", "200 200 404 ", nil),
            (
                "users", "", "404 404 401 ",
                "1 of 5 users cannot log in by scram; 1 can by --mechanism timestamp"
            ),
            ("users", "--mechanism timestamp --mechanism scram", "200 404 401 ", nil),
            ("users", "--mechanism form", "404 200 404 ", nil),
            ("other", "--mechanism timestamp", "200 404 404 ", "1 of 2 users cannot log in by timestamp"),
            (
                "hashes", "--mechanism timestamp --mechanism scram", "200 404 401 ",
                "1 of 6 users cannot log in by scram or timestamp"
            ),
        ] as [(String, String, String, String?)] {
            let (seen, errors) = try statuses(users, options)
            XCTAssertEqual(seen, expected, "\(users) \(options)")
            if let warning {
                XCTAssertTrue(errors.contains(warning), errors)
            } else {
                XCTAssertFalse(errors.contains(" form"), errors)
            }
        }
    }

    func testOnlyChosenMechanismsAreServed() throws {
        let server = try serve("--mechanism scram")
        let seen = try see("login", server, #"{"user": "three", "password": "s3cret"}"#)
        XCTAssertTrue(seen.hasPrefix(#"{"login": [200, true]"#), seen)
        let statuses = try shell.run(
            """
            for path in hmackey.php loginhmac.php login.php; do
                curl -s -o /dev/null -w '%{http_code} ' -d username=a -d password=b \(server.url)/$path
            done
            """
        )
        XCTAssertEqual(statuses.text, "404 404 404 ")
        XCTAssertTrue(server.errors.contains("1 of 5 users cannot log in by SCRAM: "), server.errors)
        XCTAssertTrue(server.errors.contains("1 of 5 users cannot log in by scram; 1 can by "), server.errors)
        let none = try serve("--mechanism timestamp --mechanism form")
        XCTAssertEqual(try see("list", none), #"[404, null, 404, [404, 404, 404, 404, 404]]"#)
        for options in ["--mechanism basic", "--require-channel-binding"] {
            let outcome = try shell.run("credkit-server --key-phrase itheima --users users \(options)")
            XCTAssertEqual(outcome.status, 64, options)
        }
    }
}
