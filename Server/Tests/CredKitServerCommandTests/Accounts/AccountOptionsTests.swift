// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTestSupport
import Foundation
import Testing

@testable import CredKitServerCommand

/// The options of `--account-changes`.
@Suite struct AccountOptionsTests {
    private static let site = "--site https://a.org --trusted-proxy 127.0.0.1"
    private static let table =
        "--users-database postgresql://u@localhost/d --users-table s.t --users-name-column n --users-credential-column c"
    private static let state = "--state redis://localhost --state-key-file key"

    private func parse(_ options: String) throws {
        _ = try CredKitServerCommand.parse(options.split(separator: " ").map { String($0) })
    }

    /// What is refused, and what the message says.
    static let refused: [(options: String, message: String)] = [
        ("--users u --account-changes", "--account-changes requires --site"),
        ("--users u --password-blocklist w \(site)", "requires --account-changes"),
        ("--users u --password-minimum-length 8 \(site)", "requires --account-changes"),
        ("--users u --notify-command /bin/true \(site)", "requires --account-changes"),
        ("--users u --otp-file o --recovery-codes r \(site)", "requires --account-changes"),
        ("--users - --account-changes \(site)", "a users file that has a name"),
        ("--users u --account-changes \(site) \(state)", "give --users-database in place of --users"),
        ("--users u --account-changes --mechanism scram \(site)", "cannot log in by scram"),
        ("--users u --account-changes --recovery-codes r \(site)", "requires --otp-file"),
        (
            "--otp-file o --account-changes --recovery-codes r \(table) \(site) \(state)",
            "is for a single server"
        ),
        ("--users u --account-changes --password-minimum-length 7 \(site)", "from 8 to 64"),
        ("--users u --account-changes --password-minimum-length 65 \(site)", "from 8 to 64"),
        ("--users u --account-changes --notify-command notify \(site)", "absolute path"),
    ]

    @Test(arguments: AccountOptionsTests.refused)
    func whatContradictsIsSaid(_ options: String, _ message: String) {
        #expect {
            try parse(options)
        } throws: { error in
            CredKitServerCommand.message(for: error).contains(message)
        }
    }

    @Test func whatFitsIsTaken() throws {
        try parse(
            """
            --users u --otp-file o --recovery-codes r --password-minimum-length 8 --password-blocklist w --account-changes \
            --notify-command /bin/true \(Self.site)
            """
        )
        try parse("--account-changes \(Self.table) \(Self.site) \(Self.state)")
    }

    /// A list that cannot be used is a problem of the start, not of the first user who chooses a password.
    @Test func listsAreReadAtTheStart() throws {
        let shell = try Shell(programs: ["credkit", "credkit-server"])
        defer { shell.remove() }
        let outcome = try shell.run(
            """
            umask 077
            echo 'alice:$1$abc$iCQ2D3nhptRYi27fDYv2s1' > users
            echo letmein > words
            credkit blocklist build --output filter words
            head -c 70 filter > cut
            check() {
                credkit-server check --users users --site https://a.org --trusted-proxy 127.0.0.1 --listen 127.0.0.1:0 \\
                    --account-changes --password-blocklist $1 2> errors
                echo $? $(grep -c "$1: " errors)
            }
            check words; check filter; check cut; check none
            ls users.key 2> /dev/null
            """
        )
        let lines = outcome.text.split(separator: "\n").map { String($0) }
        #expect(
            lines == (["ok: 1 users", "0 0", "ok: 1 users", "0 0", "65 1", "74 1"] as [String]),
            "\(outcome.errors)"
        )
    }
}
