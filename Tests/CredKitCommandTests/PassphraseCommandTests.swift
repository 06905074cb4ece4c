// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// What `--passphrase-command` gets from its caller, and what its caller gets from it.
final class PassphraseCommandTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws {
        shell = try Shell()
        let outcome = try shell.run("printf s3cret | credkit keychain set s a")
        XCTAssertEqual(outcome.status, 0, outcome.errors)
    }

    override func tearDown() { shell.remove() }

    /// Runs `keychain get` without a terminal.
    private func get(_ command: String, before: String = "", after: String = "") throws -> Shell.Outcome {
        try shell.run(
            """
            cat > command <<'END'
            \(command)
            END
            \(before) timeout 100 setsid -w credkit keychain get s a --passphrase-command 'sh command' \(after)
            """
        )
    }

    func testCommandGetsNothingFromTheCaller() throws {
        for (command, before, after) in [
            ("cat; echo tests", "printf unexpected |", ""),
            // The descriptor 3 is the folder that is listed.
            (
                "[ \"$(ls /proc/self/fd | tr -d '\\n')\" = 0123 ] && echo tests", "",
                "5< /etc/passwd 6< /etc/passwd"
            ),
            (
                "[ \"${CREDKIT_PASSPHRASE+set}\" = '' ] && [ \"$CREDKIT_BACKEND\" = vault ] && echo tests",
                "", ""
            ),
        ] {
            let outcome = try get(command, before: before, after: after)
            XCTAssertEqual(outcome.text, "s3cret", command + outcome.errors)
        }
    }

    func testMessagesAreShownWithEscapes() throws {
        let outcome = try get(#"printf 'one\nset\033]0;title\007\r\n\342\200\256two \n' >&2; echo tests"#)
        XCTAssertEqual(outcome.text, "s3cret")
        XCTAssertEqual(outcome.errors, "one\nset\\033]0;title\\007\n\\342\\200\\256two \n")
        let failed = try get(#"printf 'one\nlast\033[31m\n\n' >&2; exit 3"#)
        XCTAssertEqual(failed.status, 77)
        XCTAssertEqual(
            failed.errors,
            "one\nlast\\033[31m\n\ncredkit: the passphrase command ended with status 3: last\\033[31m\n"
        )
    }

    func testAnyNumberOfMessagesIsReadAndFewAreShown() throws {
        let count = TestForm.isDeep ? 10_000_000 : 2_000_000
        for command in [
            "yes | head -c \(count) >&2; echo tests",
            "exec 3>&1; { echo tests >&3; exec >&- 3>&-; yes | head -c \(count) >&2; }",
            "tr '\\0' x < /dev/zero | head -c \(count) >&2; echo tests",
        ] {
            let outcome = try get(command)
            XCTAssertEqual(outcome.text, "s3cret", command + outcome.errors.prefix(200))
            XCTAssertLessThan(outcome.errors.utf8.count, 17_000)
            XCTAssertTrue(
                outcome.errors.hasSuffix("\n(further messages of the passphrase command are not shown)\n")
            )
        }
    }

    func testEndlessOutputEndsTheCommand() throws {
        for command in ["yes", "head -c 5000 /dev/zero; sleep 1000"] {
            let outcome = try get(command)
            XCTAssertEqual(outcome.status, 65, command)
            XCTAssertTrue(outcome.errors.contains("4096 bytes"), outcome.errors)
        }
        let longest = try get("head -c 4096 /dev/zero | tr '\\0' p; echo")
        XCTAssertEqual(longest.status, 77, longest.errors)
        XCTAssertTrue(longest.errors.contains("wrong passphrase"), longest.errors)
    }

    func testFailureIsSeenWhereTheCallerIgnoresItsChildren() throws {
        let outcome = try get("echo tests; exit 3", before: "env --ignore-signal=CHLD")
        XCTAssertEqual(outcome.status, 77, outcome.errors)
        XCTAssertTrue(outcome.errors.contains("ended with status 3"), outcome.errors)
    }

    func testHangingCommandIsKilledAtTheDeadline() throws {
        // Each of these holds the pipe open, and none of them heeds SIGTERM.
        let command = """
            trap '' TERM; (sh -c 'echo $$ >> numbers; exec sleep 1000' & )
            echo $$ >> numbers; echo tests; sleep 1000 & wait
            """
        let script = """
            credkit keychain get s a --timeout 100ms --prompt-timeout 3s --passphrase-command 'sh command'; echo $?
            wc -l < numbers; for number in $(cat numbers); do
                timeout 20 sh -c "while [ -e /proc/$number ] && ! grep -q ') Z ' /proc/$number/stat; do sleep 0.05; done"
                echo $?
            done
            """
        try command.write(
            to: shell.folder.appendingPathComponent("command"),
            atomically: true,
            encoding: .utf8
        )
        try script.write(to: shell.folder.appendingPathComponent("script"), atomically: true, encoding: .utf8)
        let outcome = try shell.run("timeout 100 setsid -w bash script")
        XCTAssertEqual(outcome.text, "69\n2\n0\n0\n", outcome.errors)
        let session = try TerminalSession(shell, ["bash", "-c", "rm numbers; bash script"], [])
        XCTAssertTrue(session.screen.hasSuffix("69\r\n2\r\n0\r\n0\r\n"), session.screen)
    }

    func testCommandCanAskAtTheTerminal() throws {
        // The question has no line feed, and is shown before there is an answer.
        for question in ["printf 'Own question: ' > /dev/tty", "printf 'Own question: ' >&2"] {
            try "\(question); stty -echo < /dev/tty; read -r p < /dev/tty; stty echo < /dev/tty; echo $p"
                .write(
                    to: shell.folder.appendingPathComponent("command"),
                    atomically: true,
                    encoding: .utf8
                )
            let session = try TerminalSession(
                shell,
                ["bash", "-c", "credkit keychain get s a --passphrase-command \"sh command\" < /dev/null"],
                [["Own question: ", "tests\n"]]
            )
            XCTAssertEqual(session.status, 0, session.screen)
            XCTAssertTrue(session.screen.hasSuffix("s3cret\r\n"), session.screen)
        }
    }

    func testInterruptEndsCommandAndCaller() throws {
        try "echo Asking > /dev/tty; exec sleep 1000".write(
            to: shell.folder.appendingPathComponent("command"),
            atomically: true,
            encoding: .utf8
        )
        let session = try TerminalSession(
            shell,
            ["bash", "-c", "exec credkit keychain get s a --passphrase-command \"sh command\""],
            [["Asking", "\u{3}"]]
        )
        XCTAssertEqual(session.status, -2, session.screen)
    }
}
