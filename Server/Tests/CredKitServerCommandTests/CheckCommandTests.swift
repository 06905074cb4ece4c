// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitServerCommand

/// `credkit-server check`
final class CheckCommandTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/faketime") else {
            throw XCTSkip("faketime is not installed")
        }
        shell = try Shell(programs: ["credkit", "credkit-server"])
        let outcome = try shell.run(
            """
            umask 077
            printf 'itheima' > phrase
            printf 'alice:%s\\n' "$(printf 123456 | credkit hash legacy timestamp --key-phrase itheima --password-equivalent)" > users
            make() {
                ${3:-env} openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=localhost -keyout $1-key.pem \\
                    -out $1.pem -days $2 2> /dev/null
            }
            make good 90; make soon 13; make past 1 "faketime -f -90d"
            """
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
    }

    override func tearDown() { shell?.remove() }

    private func check(_ options: String) throws -> Shell.Outcome {
        try shell.run("credkit-server check --listen 127.0.0.1:0 --key-phrase-file phrase \(options)")
    }

    func testValidConfigurationIsConfirmed() throws {
        let plain = try check("--users users")
        XCTAssertEqual(plain.status, 0)
        XCTAssertEqual(plain.text, "ok: 1 users\n")
        XCTAssertEqual(plain.errors, "")
        let outcome = try check("--users users --tls-cert good.pem --tls-key good-key.pem")
        XCTAssertEqual(outcome.status, 0)
        XCTAssertEqual(outcome.errors, "")
        XCTAssertTrue(outcome.text.hasPrefix("ok: 1 users, the certificate expires at 20"), outcome.text)
    }

    /// Wrong passwords wait for the dearest, so that the time does not show whose it is.
    func testTablesOfMixedCostsAreNamed() throws {
        _ = try shell.run(
            """
            umask 077
            printf 'new:%s\\nold:%s\\n' "$(printf s | credkit hash argon2id)" '$1$abc$iCQ2D3nhptRYi27fDYv2s1' > cheap
            (cat cheap; printf 'dear:%s\\n' "$(printf s | credkit hash pbkdf2-sha256 --iterations 3000000)") > mixed
            """
        )
        let cheap = try check("--users cheap --mechanism form")
        XCTAssertEqual(cheap.status, 0, cheap.errors)
        XCTAssertEqual(cheap.errors, "")
        let mixed = try check("--users mixed --mechanism form")
        XCTAssertEqual(mixed.status, 0, mixed.errors)
        XCTAssertTrue(mixed.errors.contains("the dearest pbkdf2-sha256"), mixed.errors)
        XCTAssertTrue(mixed.errors.contains("all wrong passwords take"), mixed.errors)
    }

    /// The server has no pepper, so these users can never log in.
    func testHashesWithAPepperAreNamed() throws {
        _ = try shell.run(
            """
            umask 077
            hash=$(printf s | credkit hash argon2id --memory 1MiB --passes 1)
            printf 'paul:$pepper-hmac-sha256$keyid=2026%s\\n' "$hash" > peppered
            (cat peppered; printf 'new:%s\\n' "$hash") > some
            """
        )
        let all = try check("--users peppered --mechanism form")
        XCTAssertEqual(all.status, 65, all.errors)
        XCTAssertTrue(
            all.errors.contains("1 of 1 users cannot log in by form; 1 have hashes that"),
            all.errors
        )
        let some = try check("--users some --mechanism form")
        XCTAssertEqual(some.status, 0, some.errors)
        XCTAssertTrue(
            some.errors.contains("1 of 2 users cannot log in by form; 1 have hashes that"),
            some.errors
        )
    }

    func testAllProblemsAreReportedAtOnce() throws {
        _ = try shell.run(
            """
            (cat users; echo bob; echo 'carl:x'; cat users) > damaged
            echo 'bob:otpauth://totp/b?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP' > codes; echo 'key none' > mocks
            chmod 600 damaged codes mocks
            """
        )
        let outcome = try check(
            "--users damaged --otp-file codes --mock-key-file mocks --mechanism scram --tls-cert good.pem --tls-key past-key.pem"
        )
        XCTAssertEqual(outcome.status, 65)
        XCTAssertTrue(outcome.output.isEmpty)
        for (message, line) in zip(
            [
                "damaged: line 3: neither", "damaged: line 4: a second user of the same name",
                "codes: line 1: there is no user 'bob'",
                "damaged: 1 of 1 users cannot log in by scram; 1 can by --mechanism timestamp",
                "mocks: line 1: neither a key", "past-key.pem: is not the key of the certificate in good.pem",
                "damaged: line 2: not of the form name:RECORD",
            ],
            outcome.errors.split(separator: "\n")
        ) {
            XCTAssertTrue(line.hasPrefix("credkit-server: \(message)"), "\(line)")
        }
        XCTAssertEqual(outcome.errors.split(separator: "\n").count, 7, outcome.errors)
        for secret in ["itheima", "JBSWY"] { XCTAssertFalse(outcome.errors.contains(secret)) }
    }

    func testFilesThatAreMissingAreAllReported() throws {
        let outcome = try shell.run(
            "credkit-server check --listen 127.0.0.1:0 --key-phrase-file a --users b --otp-file c --tls-cert d --tls-key e"
        )
        XCTAssertEqual(outcome.status, 74)
        for name in ["a", "b", "d", "e"] {
            XCTAssertTrue(outcome.errors.contains("credkit-server: \(name): "), outcome.errors)
        }
    }

    func testExpiryOfTheCertificateIsReported() throws {
        let past = try check("--users users --tls-cert past.pem --tls-key past-key.pem")
        XCTAssertEqual(past.status, 65)
        XCTAssertTrue(past.errors.contains("past.pem: the certificate has expired at 20"), past.errors)
        let soon = try check("--users users --tls-cert soon.pem --tls-key soon-key.pem")
        XCTAssertEqual(soon.status, 0)
        XCTAssertTrue(
            soon.errors.hasPrefix("credkit-server: warning: soon.pem: the certificate expires soon, at 20"),
            soon.errors
        )
        let future = try shell.run(
            "faketime -f -2d credkit-server check --listen 127.0.0.1:0 --key-phrase x --users users --tls-cert good.pem --tls-key good-key.pem"
        )
        XCTAssertEqual(future.status, 65)
        XCTAssertTrue(
            future.errors.contains("good.pem: the certificate is not valid before 20"),
            future.errors
        )
    }

    func testNothingIsWrittenAndReadableSecretsAreWarnings() throws {
        let outcome = try shell.run(
            """
            chmod 644 users
            credkit-server check --listen 127.0.0.1:0 --key-phrase-file phrase --users users --mock-key-file mocks --mechanism scram \\
                --mechanism timestamp
            ls mocks 2> /dev/null
            """
        )
        XCTAssertEqual(outcome.text, "ok: 1 users\n")
        XCTAssertTrue(
            outcome.errors.contains(
                "credkit-server: warning: users: other users of this machine can read it\n"
            ),
            outcome.errors
        )
    }

    func testOptionsAreThoseOfTheServer() throws {
        let outcome = try check("--users users --tls-cert a")
        XCTAssertEqual(outcome.status, 64)
        XCTAssertTrue(outcome.errors.contains("must be given together"), outcome.errors)
        // In this process, which the argument parser inspects once.
        for (options, message) in [
            ([], "--users"), (["--users", "users", "--trusted-proxy", "10.0.0.1/8"], "--trusted-proxy"),
            (["--users", "users", "--drain-delay", "301"], "--drain-delay"),
            (["--users", "users", "--proxy-header", "forwarded"], "requires --trusted-proxy"),
        ] {
            XCTAssertThrowsError(try CheckCommand.parse(options), "\(options)") { error in
                XCTAssertEqual(CheckCommand.exitCode(for: error).rawValue, 64, "\(options)")
                let text = CheckCommand.message(for: error)
                XCTAssertTrue(text.contains(message), text)
            }
        }
    }
}
