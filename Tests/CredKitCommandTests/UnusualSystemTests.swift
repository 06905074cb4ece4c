// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// Systems that lack something, and input that never comes.
final class UnusualSystemTests: XCTestCase {
    private var shell: Shell!

    override func setUpWithError() throws {
        shell = try Shell()
    }

    override func tearDown() { shell.remove() }

    /// Runs a script and checks its exit status and a part of its errors.
    private func assert(
        _ script: String,
        exits status: Int32,
        _ message: String,
        line: UInt = #line
    ) throws {
        let outcome = try shell.run(script)
        XCTAssertEqual(outcome.status, status, outcome.errors, line: line)
        XCTAssertTrue(
            (outcome.errors + outcome.text).contains(message),
            outcome.errors + outcome.text,
            line: line
        )
    }

    private func skipUnlessMountable() throws {
        let outcome = try shell.run("unshare --mount mount -t tmpfs -o size=64k none bin")
        try XCTSkipUnless(outcome.status == 0, "this user cannot mount file systems: \(outcome.errors)")
    }

    // A pipe that is open and never written to.
    func testPassphraseThatNeverComesEndsWithTheTimeout() throws {
        for option in ["--passphrase-fd 9", "--passphrase-file pipe", "--passphrase-file /dev/fd/9"] {
            try assert(
                """
                mkfifo pipe; exec 9<>pipe; printf s3cret > secret
                timeout 60 credkit keychain set s --backend vault \(option) --timeout 200ms < secret
                """,
                exits: 69,
                "timed out reading"
            )
        }
        // Without a writer, opening a pipe would block.
        try assert(
            "mkfifo lone; timeout 60 credkit keychain get s --backend vault --passphrase-file lone --timeout 200ms",
            exits: 69,
            "timed out reading lone"
        )
    }

    func testPathsThatAreNotUTF8AreRefused() throws {
        for (name, others) in [
            ("HOME", "-u XDG_DATA_HOME -u CREDKIT_VAULT"), ("XDG_DATA_HOME", "-u CREDKIT_VAULT"),
            ("CREDKIT_VAULT", ""),
        ] {
            try assert(
                """
                env \(others) \(name)=$(printf "$PWD/a\\377") credkit keychain list --backend vault
                """,
                exits: 74,
                "the path in \(name) is not UTF-8"
            )
        }
        XCTAssertEqual(try shell.run("ls -A | grep -c '^a' || true").text, "0\n")
    }

    func testDoctorNamesFoldersThatCannotBeWritten() throws {
        try skipUnlessMountable()
        let doctor = "credkit keychain doctor --backend vault"
        let store = "export CREDKIT_PASSPHRASE=pp; printf x | credkit keychain set s --backend vault"
        // Root's rights do not help with a file system that is read-only or full.
        try assert(
            """
            \(store) && D=$HOME/.local/share/credkit
            unshare --mount sh -c "mount --bind $D $D && mount -o remount,bind,ro $D && \(doctor)"
            """,
            exits: 1,
            "vault-folder: problem: the vault cannot be saved: "
        )
        try assert(
            """
            mkdir -p state; export XDG_STATE_HOME=$PWD/state
            unshare --mount sh -c "mount -t tmpfs -o size=64k none state && \(doctor)"
            """,
            exits: 1,
            "state-folder: problem: what this account has seen of its vaults cannot be saved: "
        )
        XCTAssertFalse(try shell.run(doctor).text.contains("-folder"))
    }

    func testCommandLineThatCannotBeReadIsAnError() throws {
        try skipUnlessMountable()
        try assert(
            "unshare --mount sh -c 'mount -t tmpfs none /proc && credkit --version'",
            exits: 74,
            "/proc is not mounted"
        )
    }
}
