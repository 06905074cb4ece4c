// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// `credkit login --mechanism scram` at a `credkit-server`, over a table that `credkit upgrade` has made.
final class SCRAMLoginServerTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws {
        shell = try Shell(programs: ["credkit", "credkit-server"])
        let outcome = try shell.run(
            """
            set -e
            equivalent() { printf "$1" | credkit hash legacy timestamp --key-phrase itheima --password-equivalent; }
            printf 'zhang:%s\\nli:%s\\n' "$(equivalent s3cret)" "$(equivalent 0ther)" > old
            credkit upgrade --as timestamp --to scram-sha-256 --iterations 4096 --input old --output users
            printf 'wang:%s\\n' "$(printf s3cret | credkit hash scram-sha-256 --iterations 4096)" >> users
            chmod 600 users
            printf s3cret > password
            """
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
    }

    override func tearDown() { shell.remove() }

    private func makeCodes() throws {
        let outcome = try shell.run(
            """
            set -e
            printf GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ | credkit otp add phone zhang
            printf 'zhang:%s\\n' "$(credkit otp uri phone zhang)" > codes
            chmod 600 codes
            """
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
    }

    private func makeCertificate() throws {
        let outcome = try shell.run(
            """
            set -e
            openssl req -x509 -nodes -newkey ec -pkeyopt ec_paramgen_curve:P-256 -sha384 -subj /CN=localhost \
                -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout key.pem -out cert.pem -days 2 2>/dev/null
            """
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
    }

    private func serve(_ options: String = "") throws -> ServerProcess {
        try ServerProcess(
            shell,
            "credkit-server --key-phrase itheima --users users --listen 127.0.0.1:0 \(options)"
        )
    }

    private func logIn(_ server: ServerProcess, _ options: String) throws -> Shell.Outcome {
        try shell.run("credkit login \(server.url) --password-file password --mechanism scram \(options)")
    }

    func testLoginAsksTheServerForItsMechanisms() throws {
        let server = try serve()
        let scram = try shell.run("credkit login \(server.url) --password-file password --user wang")
        XCTAssertEqual(scram.status, 0, scram.errors)
        XCTAssertTrue(scram.errors.contains("offers scram"), scram.errors)
    }

    func testLoginsOverAnUpgradedTable() throws {
        let server = try serve()
        for (options, status) in [
            ("--user zhang --key-phrase itheima --session a", 0), ("--user wang --session b", 0),
            ("--user li --key-phrase itheima --session c", 77), ("--user zhang --session d", 77),
            ("--user wang --key-phrase itheima --session e", 77),
            ("--user nemo --session f", 77),
        ] {
            let outcome = try logIn(server, options)
            XCTAssertEqual(outcome.status, Int32(status), "\(options): \(outcome.errors)")
        }
        let session = try shell.run("credkit request \(server.url)/auth/session -f --session a")
        XCTAssertEqual(session.status, 0, session.errors)
        XCTAssertTrue(session.text.contains(#""userName":"zhang""#), session.text)
        XCTAssertEqual(
            try shell.run("grep -rlF s3cret . | grep -v -e '^./password$' -e '^./bin/credkit'").text,
            ""
        )
    }

    /// The client sends a code only to a server that has proved itself, which this one does before it asks for one.
    func testOneTimeCodes() throws {
        try makeCodes()
        let server = try serve("--otp-file codes --first-start")
        let none = try logIn(server, "--user zhang --key-phrase itheima")
        XCTAssertEqual(none.status, 77)
        XCTAssertTrue(none.errors.contains("requires a one-time code"), none.errors)
        let accepted = try logIn(server, "--user zhang --key-phrase itheima --otp phone")
        XCTAssertEqual(accepted.status, 0, accepted.errors)
        let replayed = try firstRefusal {
            try logIn(server, "--user zhang --key-phrase itheima --otp phone --session again")
        }
        XCTAssertEqual(replayed.status, 77)
        XCTAssertTrue(replayed.errors.contains("rejected the one-time code"), replayed.errors)
    }

    func testChannelBinding() throws {
        try makeCertificate()
        let server = try serve("--tls-cert cert.pem --tls-key key.pem --require-channel-binding")
        for (options, status) in [
            ("--channel-binding server-end-point --require-channel-binding --session a", 0),
            ("--channel-binding server-end-point --session b", 0),
            // The server does not offer them.
            ("--session c", 65), ("--channel-binding exporter --require-channel-binding --session d", 65),
        ] {
            let outcome = try logIn(server, "--cacert cert.pem --user wang \(options)")
            XCTAssertEqual(outcome.status, Int32(status), "\(options): \(outcome.errors)")
        }
    }

    /// The verifier of the password-equivalent is replaced by one of the password, with which old copies of the table do not
    /// log in.
    func testVerifierIsReplaced() throws {
        try makeCertificate()
        let server = try serve("--tls-cert cert.pem --tls-key key.pem --replace-verifiers")
        let profile = #"{"scheme": "scram", "keyPhrase": "itheima", "replacesLayeredVerifier": true}"#
        XCTAssertEqual(try shell.run("printf '%s' '\(profile)' > profile.json").status, 0)
        let login = "credkit login \(server.url) --cacert cert.pem --password-file password --user zhang"
        for session in ["a", "b"] {
            let outcome = try shell.run("\(login) --profile profile.json --session \(session)")
            XCTAssertEqual(outcome.status, 0, outcome.errors)
        }
        // A client without the key phrase logs in now.
        let plain = try shell.run("\(login) --mechanism scram --session c")
        XCTAssertEqual(plain.status, 0, plain.errors)
    }
}
