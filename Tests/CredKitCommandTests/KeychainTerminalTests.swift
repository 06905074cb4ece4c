// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Prompts for the vault's passphrase on a real pseudo-terminal, in a process with several threads.
final class KeychainTerminalTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws {
        shell = try Shell()
        let outcome = try shell.run("printf s3cret | credkit keychain set s a")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
    }

    override func tearDown() { shell.remove() }

    private static let prompt = "Passphrase of the vault: "

    private func session(_ command: String, _ answers: [[String]]) throws -> TerminalSession {
        try TerminalSession(shell, ["bash", "-c", "unset CREDKIT_PASSPHRASE; \(command)"], answers)
    }

    func testPassphraseIsPromptedForAndNotShown() throws {
        // The prompt is always on the terminal, even if the streams are redirected.
        for command in ["credkit keychain get s a", "credkit keychain get s a < /dev/null 2> /dev/null"] {
            let session = try session(command, [[Self.prompt, "tests\n"]])
            XCTAssertEqual(session.screen, "\(Self.prompt)\r\ns3cret\r\n")
            XCTAssertEqual(session.status, 0)
            XCTAssertTrue(session.echo)
        }
    }

    func testWrongPassphraseCanBeRetyped() throws {
        let session = try session(
            "credkit keychain get s a",
            [[Self.prompt, "wrong\n"], ["Wrong passphrase. ", "tests\n"]]
        )
        XCTAssertTrue(session.screen.hasSuffix("s3cret\r\n"), session.screen)
        let denied = try self.session(
            "credkit keychain get s a",
            [[Self.prompt, "1\n"], ["Wrong", "2\n"], ["Wrong", "3\n"]]
        )
        XCTAssertEqual(denied.status, 77, denied.screen)
    }

    func testPassphraseCommandCanUseTheTerminal() throws {
        _ = try shell.run("echo 'echo Own question > /dev/tty; read -r p < /dev/tty; echo $p' > ask")
        let session = try session(
            "credkit keychain get s a --passphrase-command \"sh ask\"",
            [["Own question", "tests\n"]]
        )
        XCTAssertEqual(session.status, 0, session.screen)
        XCTAssertTrue(session.screen.hasSuffix("s3cret\r\n"), session.screen)
    }

    func testNewVaultAsksTwice() throws {
        let set = "printf x | credkit keychain set s --vault new.vault"
        let differing = try session(set, [["New passphrase", "one\n"], ["Again: ", "two\n"]])
        XCTAssertEqual(differing.status, 65, differing.screen)
        let session = try session(set, [["New passphrase", "one\n"], ["Again: ", "one\n"]])
        XCTAssertEqual(session.status, 0, session.screen)
        XCTAssertFalse(session.screen.contains("one\r"), session.screen)
        XCTAssertEqual(
            try shell.run("CREDKIT_PASSPHRASE=one credkit keychain doctor --deep --vault new.vault").status,
            0
        )
    }

    func testPromptNamesTheItem() throws {
        let set = "CREDKIT_PASSPHRASE=tests credkit keychain set --replace mail.example alice"
        for _ in 1...2 {
            let session = try TerminalSession(
                shell,
                ["bash", "-c", set],
                [["Password for mail.example/alice: ", "one\n"], ["Again: ", "one\n"]]
            )
            XCTAssertEqual(session.status, 0, session.screen)
        }
        let add = try session(
            "CREDKIT_PASSPHRASE=tests credkit otp add mail.example alice",
            [["URI or seed for mail.example/alice: ", "JBSWY3DPEHPK3PXP\n"]]
        )
        XCTAssertEqual(add.status, 0, add.screen)
    }

    func testCodeShowsTheSecondsLeft() throws {
        let add = try shell.run("printf JBSWY3DPEHPK3PXP | credkit otp add mail.example alice")
        XCTAssertEqual(add.status, 0, add.errors)
        let code = try session("CREDKIT_PASSPHRASE=tests credkit otp code", [])
        let lines = code.screen.components(separatedBy: "\r\n")
        XCTAssertEqual(lines.count, 3, code.screen)
        XCTAssertEqual(lines[0].count, 6, code.screen)
        XCTAssertTrue(lines[1].hasSuffix(" s left"), code.screen)
        // The line appears, is redrawn with another number of seconds, and Ctrl-C ends the command.
        let watch = try session(
            "exec env CREDKIT_PASSPHRASE=tests credkit otp code --watch",
            [["\r\u{1B}[K", ""], ["\r\u{1B}[K", "\u{3}"]]
        )
        XCTAssertEqual(watch.status, -2, watch.screen)
        XCTAssertTrue(watch.screen.contains(" s left"), watch.screen)
    }

    func testEverySignalRestoresTheTerminal() throws {
        for signal in ["INT", "TERM", "HUP", "QUIT", "PIPE", "ALRM", "USR1", "XCPU"] {
            let session = try session(
                "(sleep 0.5; kill -\(signal) $$) & exec credkit keychain get s a",
                [[Self.prompt, "tes"]]
            )
            XCTAssertLessThan(session.status, 0, signal)
            XCTAssertTrue(session.echo, signal)
        }
        for (key, status) in [("\u{3}", -2), ("\u{1C}", -3)] {
            let session = try session("exec credkit keychain get s a", [[Self.prompt, "tes\(key)"]])
            XCTAssertEqual(session.status, status)
            XCTAssertTrue(session.echo)
        }
    }

    func testSuspendedPromptRestoresTheTerminalAndAsksAgain() throws {
        let session = try TerminalSession(
            shell,
            [
                "bash", "-mc",
                "unset CREDKIT_PASSPHRASE; credkit keychain get s a; stty -a | grep -ow -e -echo; fg",
            ],
            [[Self.prompt, "te\u{1A}"], [Self.prompt, "tests\n"]]
        )
        XCTAssertEqual(session.status, 0, session.screen)
        XCTAssertFalse(session.screen.contains("-echo"), session.screen)
        XCTAssertTrue(session.screen.hasSuffix("\(Self.prompt)\r\ns3cret\r\n"), session.screen)
        XCTAssertTrue(session.echo)
    }

    func testPromptTimesOut() throws {
        let session = try session(
            "credkit keychain get s a --prompt-timeout 500ms --timeout 100ms",
            [[Self.prompt, "te"]]
        )
        XCTAssertEqual(session.status, 69, session.screen)
        XCTAssertTrue(session.echo)
        let never = try self.session("credkit keychain get s a --no-prompt", [])
        XCTAssertEqual(never.status, 77, never.screen)
        XCTAssertFalse(never.screen.contains(Self.prompt), never.screen)
    }

    func testOldPassphraseIsAskedForBeforeTheNewOne() throws {
        let session = try session(
            "credkit keychain passphrase",
            [[Self.prompt, "tests\n"], ["New passphrase: ", "new\n"], ["Again: ", "new\n"]]
        )
        XCTAssertEqual(session.status, 0, session.screen)
        XCTAssertEqual(try shell.run("CREDKIT_PASSPHRASE=new credkit keychain doctor --deep").status, 0)
    }
}
