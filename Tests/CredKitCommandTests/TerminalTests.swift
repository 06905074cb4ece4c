// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Password prompts on a real pseudo-terminal that python3 controls.
final class TerminalTests: XCTestCase {
    private func session(_ command: [String], _ answers: [[String]]) throws -> TerminalSession {
        let shell = try Shell()
        defer { shell.remove() }
        return try TerminalSession(shell, command, answers)
    }

    func testNewPasswordIsAskedForTwiceAndNotShown() throws {
        let session = try session(
            ["credkit", "hash", "legacy", "salted-md5", "--salt", "shop"],
            [["Password: ", "secret\n"], ["Again: ", "secret\n"]]
        )
        XCTAssertEqual(session.status, 0)
        XCTAssertFalse(session.screen.contains("secret"))
        XCTAssertTrue(session.echo)
        XCTAssertEqual(session.screen, "Password: \r\nAgain: \r\nf433c50293bc7afbe20b67ceb15a1e55\r\n")
    }

    func testExistingPasswordIsAskedForOnce() throws {
        let session = try session(
            [
                "credkit", "hash", "legacy", "timestamp", "--key-phrase", "itheima", "--at",
                "2026-01-02 03:04",
            ],
            [["Password: ", "123456\n"]]
        )
        XCTAssertEqual(session.status, 0)
        XCTAssertEqual(session.screen, "Password: \r\n9a51cf7b4bb312ed632030677c8faf73\r\n")
    }

    func testHashingAndVerifyingAtATerminal() throws {
        let new = try session(
            ["credkit", "hash", "argon2id", "--memory", "64KiB", "--passes", "1"],
            [["Password: ", "hunter2 ☃\n"], ["Again: ", "hunter2 ☃\n"]]
        )
        XCTAssertEqual(new.status, 0, new.screen)
        XCTAssertFalse(new.screen.contains("hunter2"))
        XCTAssertTrue(new.echo)
        let hash = try XCTUnwrap(new.screen.split(separator: "\r\n").last.map(String.init))
        XCTAssertTrue(hash.hasPrefix("$argon2id$v=19$m=64,t=1,p=1$"), new.screen)
        // A password that is only compared is entered once.
        let attempts: [(String, String, Int)] = [("hunter2 ☃\n", "match", 0), ("hunter3\n", "mismatch", 1)]
        for (password, result, status) in attempts {
            let session = try session(["credkit", "verify", hash], [["Password: ", password]])
            XCTAssertEqual(session.screen, "Password: \r\n\(result)\r\n")
            XCTAssertEqual(session.status, status)
            XCTAssertTrue(session.echo)
        }
    }

    func testTwoDifferentPasswordsAreRefused() throws {
        let session = try session(
            ["credkit", "hash", "legacy", "salted-md5", "--salt", "shop"],
            [["Password: ", "secret\n"], ["Again: ", "secrat\n"]]
        )
        XCTAssertEqual(session.status, 65)
        XCTAssertTrue(session.screen.contains("the two passwords differ"))
    }

    func testInterruptedPromptEndsAndRestoresTheTerminal() throws {
        // Ctrl-C and Ctrl-\\: ended by SIGINT and SIGQUIT.
        for (key, status) in [("\u{3}", -2), ("\u{1C}", -3)] {
            let session = try session(
                ["credkit", "hash", "legacy", "salted-md5", "--salt", "shop"],
                [["Password: ", "sec\(key)"]]
            )
            XCTAssertEqual(session.status, status)
            XCTAssertTrue(session.echo)
            XCTAssertEqual(session.screen, "Password: \r\n")
        }
    }

    func testEndOfInputAtAPromptIsNotAPassword() throws {
        let session = try session(
            ["credkit", "hash", "legacy", "salted-md5", "--salt", "shop"],
            [["Password: ", "\u{4}"]]
        )
        XCTAssertEqual(session.status, 74)
        XCTAssertTrue(session.screen.contains("end of input"))
    }

    func testLongReadsShowAndRemoveProgress() throws {
        // A pipe holds 64 KiB, so the pause begins after the command has begun to read.
        let slow = "(head -c 300000 /dev/zero; sleep 1.3; head -c 300000 /dev/zero; sleep 0.1)"
        let shown = try session(["bash", "-c", "\(slow) | credkit hash md5"], [])
        XCTAssertTrue(shown.screen.contains("KiB/s"), shown.screen)
        XCTAssertTrue(
            shown.screen.hasSuffix("\r\u{1B}[Kd70a839b87633a3e431d5df5c4a027d7  -\r\n"),
            shown.screen
        )

        let hidden = try session(["bash", "-c", "\(slow) | credkit hash md5 2>/dev/null"], [])
        XCTAssertEqual(hidden.screen, "d70a839b87633a3e431d5df5c4a027d7  -\r\n")
    }

    func testCtrlDEndsAPasswordAndTheNextPromptStartsANewLine() throws {
        let session = try session(
            ["credkit", "hash", "legacy", "salted-md5", "--salt", "shop"],
            [["Password: ", "secret\u{4}"], ["Again: ", "secret\n"]]
        )
        XCTAssertEqual(session.screen, "Password: \r\nAgain: \r\nf433c50293bc7afbe20b67ceb15a1e55\r\n")
    }

    func testRawKeepsTheTypedLineFeed() throws {
        let session = try session(
            ["credkit", "hash", "legacy", "salted-md5", "--salt", "shop", "--raw"],
            [["Password: ", "secret\n"], ["Again: ", "secret\n"]]
        )
        XCTAssertEqual(session.screen, "Password: \r\nAgain: \r\ncdd68aaa872b67c6dc259dc2660644c7\r\n")
    }

    func testTerminalAsDescriptorOrFileDoesNotEcho() throws {
        for option in [["--password-fd", "0"], ["--password-file", "-"], ["--password-file", "/dev/tty"]] {
            let session = try session(
                [
                    "credkit", "hash", "legacy", "timestamp", "--key-phrase", "itheima", "--at",
                    "2026-01-02 03:04",
                ]
                    + option,
                [["Password: ", "123456\n"]]
            )
            XCTAssertEqual(session.screen, "Password: \r\n9a51cf7b4bb312ed632030677c8faf73\r\n", "\(option)")
            XCTAssertTrue(session.echo)
        }
        // A line feed alone is an empty password.
        let command =
            "credkit hash legacy timestamp --key-phrase-fd 0 --password-file <(echo) --password-equivalent"
        let session = try session(
            ["bash", "-c", command],
            [["Key phrase: ", "itheima\n"]]
        )
        XCTAssertEqual(session.status, 0)
        XCTAssertFalse(session.screen.contains("itheima"))
    }

    func testSuspendedPromptRestoresTheTerminalAndAsksAgain() throws {
        // Ctrl-Z stops the command, and its shell resumes it.
        let session = try session(
            [
                "bash", "-mc",
                "credkit hash legacy timestamp --key-phrase itheima --at \"2026-01-02 03:04\"; stty -a | grep -ow -e -echo; fg",
            ],
            [["Password: ", "12\u{1A}"], ["Password: ", "123456\n"]]
        )
        XCTAssertEqual(session.status, 0, session.screen)
        XCTAssertFalse(session.screen.contains("-echo"), session.screen)
        XCTAssertTrue(
            session.screen.hasSuffix("Password: \r\n9a51cf7b4bb312ed632030677c8faf73\r\n"),
            session.screen
        )
        XCTAssertTrue(session.echo)
    }

    func testEveryFatalSignalRestoresTheTerminal() throws {
        for signal in ["TERM", "HUP", "QUIT", "PIPE", "ALRM", "USR1", "USR2", "XCPU", "VTALRM", "PROF"] {
            let session = try session(
                [
                    "bash", "-c",
                    "(sleep 0.5; kill -\(signal) $$) & exec credkit hash legacy salted-md5 --salt shop",
                ],
                [["Password: ", "sec"]]
            )
            XCTAssertLessThan(session.status, 0, signal)
            XCTAssertTrue(session.echo, signal)
        }
    }
}
