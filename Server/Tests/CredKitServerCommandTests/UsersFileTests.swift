// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitTerminal
import CredKitTestSupport
import Foundation
import Testing

@testable import CredKitServerCommand

/// Hashes that the server replaces in the users file (`--replace-hashes`).
@Suite struct UsersFileTests {
    private static let old = "$1$abc$iCQ2D3nhptRYi27fDYv2s1"
    private static let newer =
        "$argon2id$v=19$m=19456,t=2,p=1$JxD9Up2euizLK+SnDhghog$D4WSXLSIbEL6mBTZM/QQPKV6GW4MN6PwsbChgEaOmAQ"

    private func changed(_ text: String, of user: String = "alice") throws -> String? {
        let credentials = try (StoredCredential(Self.old), StoredCredential(Self.newer))
        let bytes = UsersFile.replace(credentials.0, with: credentials.1, of: user, in: Array(text.utf8))
        return bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func onlyTheHashOfTheUserChanges() throws {
        let (old, newer) = (Self.old, Self.newer)
        #expect(try changed("alice:\(old)") == "alice:\(newer)")
        #expect(
            try changed("# alice:\(old)\n\nalice2:\(old)\r\nalice:\(old)\r\nbob:\(old)\n")
                == "# alice:\(old)\n\nalice2:\(old)\r\nalice:\(newer)\r\nbob:\(old)\n"
        )
    }

    @Test func whatHasChangedInTheFileStays() throws {
        #expect(try changed("alice:\(Self.newer)\n") == nil)
        #expect(try changed("alice:!\n") == nil)
        #expect(try changed("bob:\(Self.old)\nAlice:\(Self.old)\n") == nil)
        #expect(try changed("alice:none\n") == nil)
        #expect(try changed("") == nil)
    }

    /// The session of a user stays whose hash the server itself has replaced; that of another user ends.
    @Test func aReplacedHashIsNoChangeOfTheUser() async throws {
        let shell = try Shell(programs: [])
        defer { shell.remove() }
        let path = shell.folder.appendingPathComponent("users")
        let lines = "alice:\(Self.old)\nbob:\(Self.old)\n"
        try lines.write(to: path, atomically: false, encoding: .utf8)
        let before = try ServerUsers(parsing: Array(lines.utf8), named: "users")
        let file = UsersFile(name: .init(argument: path.path))
        let accounts = ServerAccounts(users: before, codes: nil, replacing: .inFile(file, ServerLog()))
        let (old, newer) = try (StoredCredential(Self.old), StoredCredential(Self.newer))
        await accounts.replace(old, with: newer, ofAccountNamed: "alice")
        #expect(accounts.account(named: "alice")?.credential == newer)
        let written = try String(contentsOf: path, encoding: .utf8)
        #expect(written == "alice:\(Self.newer)\nbob:\(Self.old)\n")
        // A second login that began before does not replace it again.
        await accounts.replace(old, with: try StoredCredential("!"), ofAccountNamed: "alice")
        let after = try ServerUsers(parsing: Array(written.utf8), named: "users")
        #expect(accounts.replaceAll(by: after, nil) == ([] as [String]))
        #expect(accounts.account(named: "alice")?.credential == newer)
        let changed = try ServerUsers(parsing: Array("bob:!\n".utf8), named: "users")
        #expect(Set(accounts.replaceAll(by: changed, nil)) == (["alice", "bob"] as Set<String>))
    }

    /// As the copy that a service gets as a credential. Root, too, can create nothing in /proc.
    @Test func placeThatCannotBeWrittenIsRefused() throws {
        let error = #expect(throws: CommandFailure.self) {
            try UsersFile(name: .init(argument: "/proc/version")).checkPlace()
        }
        let message = error?.message ?? ""
        #expect(message.contains("in a folder that it can write: /proc/version: "), "\(message)")
    }

    @Test func optionIsRefusedWhereItHasNoEffect() throws {
        let shell = try Shell(programs: ["credkit-server"])
        defer { shell.remove() }
        for (options, reason) in [
            ("--users users --mechanism scram", "requires --mechanism form or --site"),
            ("--users /dev/stdin", "requires a users file that has a name"),
            (
                "--users users --state redis://127.0.0.1:1 --state-key-file key",
                "several servers requires a table of PostgreSQL"
            ),
        ] {
            let outcome = try shell.run("credkit-server --replace-hashes \(options) < /dev/null")
            #expect(outcome.status == 64, "\(options): \(outcome.errors)")
            #expect(outcome.errors.contains(reason), "\(options): \(outcome.errors)")
        }
    }
}
