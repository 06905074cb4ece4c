// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// `credkit login` at a `credkit-server` whose users need one-time codes.
final class SecondStepServerTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws {
        shell = try Shell(programs: ["credkit", "credkit-server"])
        let outcome = try shell.run(
            """
            set -e
            echo "zhang:$(printf s3cret | credkit hash legacy timestamp --key-phrase itheima --password-equivalent)" > users
            echo "li:$(printf other | credkit hash argon2id --memory 1MiB --passes 1)" >> users
            printf 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' | credkit otp add phone zhang
            printf 'zhang:%s\\n' "$(credkit otp uri phone zhang)" > codes
            chmod 600 users codes
            """
        )
        XCTAssertEqual(outcome.status, 0, outcome.errors)
    }

    override func tearDown() { shell.remove() }

    private func serve() throws -> ServerProcess {
        try ServerProcess(
            shell,
            """
            credkit-server --mechanism timestamp --mechanism form --key-phrase itheima --users users --otp-file codes \
                --first-start --listen 127.0.0.1:0
            """
        )
    }

    private func logIn(_ server: ServerProcess, _ options: String) throws -> Shell.Outcome {
        try shell.run(
            "printf s3cret >password; credkit login \(server.url) --password-file password \(options)"
        )
    }

    func testCodesAreRequiredAcceptedOnceAndNotKept() throws {
        let server = try serve()
        for mechanism in ["--mechanism form", "--key-phrase itheima"] {
            let none = try logIn(server, "--user zhang \(mechanism) --session none")
            XCTAssertEqual(none.status, 77)
            XCTAssertTrue(none.errors.contains("requires a one-time code"), none.errors)
            XCTAssertTrue(none.errors.contains("--otp SERVICE"), none.errors)
        }
        let missing = try logIn(server, "--user zhang --mechanism form --otp tablet")
        XCTAssertEqual(missing.status, 1)
        XCTAssertTrue(missing.errors.contains("there is no item"), missing.errors)
        let accepted = try logIn(server, "--user zhang --key-phrase itheima --otp phone")
        XCTAssertEqual(accepted.status, 0, accepted.errors)
        let answer = try shell.run("credkit request \(server.url)/auth/session -f")
        XCTAssertEqual(answer.status, 0, answer.errors)
        XCTAssertTrue(answer.text.contains(#""userName":"zhang""#), answer.text)
        // The same code again.
        let replayed = try firstRefusal {
            try logIn(server, "--user zhang --key-phrase itheima --otp phone --session again")
        }
        XCTAssertEqual(replayed.status, 77)
        XCTAssertTrue(replayed.errors.contains("rejected the one-time code"), replayed.errors)
        XCTAssertEqual(
            try shell.run(
                "printf other | credkit login \(server.url) --mechanism form --user li --session li"
            ).status,
            0
        )
        let code = try shell.run("credkit otp code phone zhang").text.trimmingCharacters(in: .newlines)
        XCTAssertEqual(try shell.run("grep -rF \(code) .").text, "")
        XCTAssertFalse(server.errors.contains(code))
    }

    func testFilesThatAreNoKeys() throws {
        for (line, reason) in [
            ("nemo:otpauth://totp/a?secret=GEZDGNBVGY3TQOJQ", "there is no user 'nemo'"),
            ("zhang", "with the name of a user"), ("zhang:otpauth://totp/a", "line 1"),
            ("zhang:otpauth://hotp/a?secret=GEZDGNBVGY3TQOJQ&counter=1", "counter"),
        ] {
            let outcome = try shell.run(
                """
                echo '\(line)' >codes
                credkit-server --key-phrase itheima --users users --otp-file codes --listen 127.0.0.1:0
                """
            )
            XCTAssertEqual(outcome.status, 65, line)
            XCTAssertTrue(outcome.errors.contains(reason), outcome.errors)
            XCTAssertFalse(outcome.errors.contains("GEZD"), outcome.errors)
        }
    }
}
