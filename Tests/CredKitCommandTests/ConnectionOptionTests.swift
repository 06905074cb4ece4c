// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Tests the connection options without connecting to a server.
final class ConnectionOptionTests: XCTestCase {
    private var shell: Shell!
    private var next = 0

    private let commands = [
        "credkit request https://localhost:1/ --anonymous",
        "credkit login https://localhost:1 --user alice --mechanism form",
        "credkit logout", "credkit hash legacy timestamp --key-phrase k --server https://localhost:1",
    ]

    override func setUpWithError() throws {
        shell = try Shell()
        let made = try shell.run(
            """
            umask 077
            for name in a b; do
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=$name -keyout $name.key -out $name.pem
            done
            cat a.pem a.key > both.pem; : > empty.pem; echo text > text.pem; head -n -1 a.pem > cut.pem
            cp a.key open.key; chmod 644 open.key; openssl pkey -in a.key -aes256 -passout pass:hunter2 -out encrypted.key
            """
        )
        XCTAssertEqual(made.status, 0, made.errors)
    }

    override func tearDown() { shell.remove() }

    /// Runs each command in turn, because they share the options.
    private func expect(_ options: String, _ status: Int32, _ text: String, line: UInt = #line) throws {
        let command = commands[next]
        next = (next + 1) % commands.count
        let outcome = try shell.run("\(command) \(options)")
        XCTAssertEqual(outcome.status, status, "\(command) \(options): \(outcome.errors)", line: line)
        XCTAssertTrue(outcome.errors.contains(text), "\(command) \(options): \(outcome.errors)", line: line)
        XCTAssertFalse(
            outcome.errors.contains("hunter2"),
            "\(command) \(options): \(outcome.errors)",
            line: line
        )
        XCTAssertEqual(outcome.text, "", line: line)
    }

    func testConflictingOptionsAreRefused() throws {
        for (options, text) in [
            ("--key a.key", "requires --cert"), ("--cert -", "--cert takes a file"),
            ("--cacert -", "--cacert takes a file"), ("--cert a.pem --key -", "--key takes a file"),
            ("--pinnedpubkey a.pem", "'sha256//'"), ("--pinnedpubkey 'sha256//x'", "44 Base64 characters"),
            ("--resolve a.example", "HOST:PORT:ADDRESS"), ("--resolve a.example:80:b.example", "not a name"),
            ("--resolve localhost:1:127.0.0.1 --resolve x", "--resolve"),
            ("--unix-socket /run/x --proxy p", "--unix-socket cannot be combined"),
            ("--unix-socket /run/x --resolve localhost:1:127.0.0.1", "--unix-socket cannot be combined"),
            ("--unix-socket ''", "1 to 107 bytes"),
            ("--unix-socket \(String(repeating: "x", count: 108))", "1 to 107 bytes"),
        ] { try expect(options, 64, text) }
    }

    func testInvalidProxyIsRefusedWithoutShowingItsPassword() throws {
        for (options, text) in [
            ("-x http://u:hunter2@p", "--proxy-password-fd"),
            ("--proxy u:hunter2@p", "--proxy-password-file"),
            ("-x socks4://u:hunter2@p", "unsupported proxy protocol"), ("-x http://u:hunter2@p:x", "port"),
            ("-x 'http://a b'", "host"), ("-x p:0", "port"), ("-x socks5://localhost/run/x", "path"),
            ("--proxy-user u", "require --proxy"), ("--proxy-password-fd 3", "require --proxy"),
            ("-x '' --proxy-user u", "require --proxy"),
            ("-x p --proxy-password-file f", "give --proxy-user"),
            ("-x u@p --proxy-user v", "in --proxy or with --proxy-user"),
            ("-x p --proxy-user u:hunter2", "':'"),
            (
                "-x p --proxy-user u --proxy-password-fd 3 --proxy-password-file f",
                "one of --proxy-password-fd"
            ),
            ("-x p --proxy-user u --proxy-password-fd=-1", "must be 0 or greater"),
        ] { try expect(options, 64, text) }
        for command in commands.prefix(3) {
            let options = "-x p --proxy-user u --proxy-password-fd 0 --passphrase-file -"
            let outcome = try shell.run("\(command) \(options) < /dev/null")
            XCTAssertEqual(outcome.status, 64, outcome.errors)
            XCTAssertTrue(
                outcome.errors.contains("Two values cannot come from the same input"),
                outcome.errors
            )
        }
    }

    func testErrorsNameUnusableFiles() throws {
        try expect("--cacert missing.pem", 74, "'missing.pem': No such file or directory")
        try expect("--cacert /", 74, "Is a directory")
        try expect("--cert missing.pem", 74, "'missing.pem'")
        try expect("--cert a.pem --key missing.key", 74, "'missing.key'")
        for (file, reason) in [
            ("empty.pem", "it is empty"), ("text.pem", "it contains no certificate"),
            ("cut.pem", "it contains a malformed PEM block"),
            ("both.pem", "it contains a private key"),
        ] { try expect("--cacert \(file)", 65, "the certificates to trust '\(file)': \(reason)") }
        for (files, reason) in [
            ("--cert a.pem", "no private key"), ("--cert a.pem --key b.key", "does not match"),
            ("--cert a.pem --key encrypted.key", "encrypted"),
            ("--cert text.pem --key a.key", "no certificate"),
            ("--cert a.pem --key empty.pem", "empty"),
        ] { try expect(files, 65, reason) }
        try expect(
            "--cert a.pem --key open.key",
            77,
            "'open.key' can be accessed by other users (run chmod 600 'open.key')"
        )
    }

    func testProxyPasswordIsReadFromTheKeychain() throws {
        for command in commands.prefix(3) {
            let outcome = try shell.run("\(command) -x u@proxy.example:3128 < /dev/null")
            XCTAssertEqual(outcome.status, 77, outcome.errors)
            XCTAssertTrue(
                outcome.errors.contains("credkit keychain set http://proxy.example:3128 u"),
                outcome.errors
            )
        }
        let outcome = try shell.run("\(commands[3]) -x u@proxy.example:3128 < /dev/null")
        XCTAssertEqual(outcome.status, 64, outcome.errors)
        XCTAssertTrue(outcome.errors.contains("--proxy-password-fd"), outcome.errors)
    }

    func testResolutionWithoutEffectIsReported() throws {
        let command = "credkit request https://a.example/ --anonymous --resolve a.example:443:127.0.0.1"
        let variable = try shell.run("https_proxy=http://127.0.0.1:1 \(command)")
        XCTAssertTrue(
            variable.errors.contains("http://127.0.0.1:1 resolves 'a.example' itself"),
            variable.errors
        )
        let option = try shell.run("\(command) -x socks5h://127.0.0.1:1")
        XCTAssertTrue(
            option.errors.contains("socks5://127.0.0.1:1 resolves 'a.example' itself"),
            option.errors
        )
        // What a process sends first may be the password for a proxy.
        let first = try shell.run(
            "\(command) -x socks5h://127.0.0.1:1 --proxy-user u --proxy-password-fd 0 <<< p"
        )
        XCTAssertEqual(first.status, option.status, first.errors)
        XCTAssertTrue(first.errors.contains("127.0.0.1:1"), first.errors)
        for without in [
            "https_proxy=http://127.0.0.1:1 \(command) -x ''", "no_proxy=example \(command) -x 127.0.0.1:1",
        ] {
            let none = try shell.run(without)
            XCTAssertFalse(none.errors.contains("itself"), none.errors)
        }
    }
}
