// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
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
        let bytes = UsersFile.set(credentials.1, inPlaceOf: credentials.0, of: user, in: Array(text.utf8))
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

    /// Compare and set, as `WritableAccounts` states it.
    @Test func usersAreAddedAndLocksStay() throws {
        let newer = try StoredCredential(Self.newer)
        func set(_ text: String, _ old: StoredCredential?, of user: String = "alice") -> String? {
            UsersFile.set(newer, inPlaceOf: old, of: user, in: Array(text.utf8))
                .map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(set("", nil) == "alice:\(Self.newer)\n")
        #expect(set("bob:!", nil) == "bob:!\nalice:\(Self.newer)\n")
        #expect(set("# alice:!\nbob:!\n", nil) == "# alice:!\nbob:!\nalice:\(Self.newer)\n")
        #expect(set("alice:!\n", nil) == nil)
        #expect(set("alice:none\n", nil) == nil)
        #expect(set("alice:!\r\nbob:!\r\n", .unusable) == "alice:\(Self.newer)\r\nbob:!\r\n")
        // Other texts that no password matches lock a user.
        for lock in ["*", "!!", "!$1$abc$iCQ2D3nhptRYi27fDYv2s1", "*LK*"] {
            #expect(set("alice:\(lock)\n", .unusable) == nil, "\(lock)")
        }
        for name in ["", "a:b", "#alice", "a\nb", "a\u{7F}"] {
            #expect(set("bob:!\n", nil, of: name) == nil, "\(name)")
        }
    }

    @Test func theLastUserIsNotRemoved() throws {
        let shell = try Shell(programs: [])
        defer { shell.remove() }
        let path = shell.folder.appendingPathComponent("users")
        try "# A comment.\nalice:!\n\nbob:!\n".write(to: path, atomically: false, encoding: .utf8)
        let file = UsersFile(name: .init(argument: path.path))
        #expect(try !file.remove("carol"))
        #expect(try file.remove("alice"))
        #expect(try String(contentsOf: path, encoding: .utf8) == "# A comment.\n\nbob:!\n")
        let error = #expect(throws: CommandFailure.self) { try file.remove("bob") }
        #expect(error?.status == .refused)
        #expect(try String(contentsOf: path, encoding: .utf8) == "# A comment.\n\nbob:!\n")
    }

    /// A reload that has read the file before the server wrote it changes nothing back, and ends no session.
    @Test func aReloadThatBeganBeforeAWriteKeepsIt() async throws {
        let shell = try Shell(programs: [])
        defer { shell.remove() }
        let path = shell.folder.appendingPathComponent("users")
        let lines = "alice:\(Self.old)\nbob:\(Self.old)\n"
        try lines.write(to: path, atomically: false, encoding: .utf8)
        let before = try ServerUsers(parsing: Array(lines.utf8), named: "users")
        var files = AccountFiles()
        files.users = UsersFile(name: .init(argument: path.path))
        let accounts = ServerAccounts(users: before, codes: nil, replacing: .nowhere, files: files)
        let (old, newer) = try (StoredCredential(Self.old), StoredCredential(Self.newer))
        let count = accounts.writeCount
        #expect(try await accounts.set(newer, inPlaceOf: old, ofAccountNamed: "alice"))
        #expect(try await !accounts.set(newer, inPlaceOf: old, ofAccountNamed: "alice"))
        let stale = try ServerUsers(parsing: Array("alice:\(Self.old)\nbob:!\n".utf8), named: "users")
        #expect(accounts.replaceAll(by: stale, nil, readAfter: count) == (["bob"] as [String]))
        #expect(accounts.account(named: "alice")?.credential == newer)
        #expect(accounts.account(named: "bob")?.credential == .unusable)
        // What was read after it counts.
        #expect(
            accounts.replaceAll(by: before, nil, readAfter: accounts.writeCount).sorted()
                == (["alice", "bob"] as [String])
        )
        #expect(accounts.account(named: "alice")?.credential == old)
    }

    @Test func codesAreWrittenAndReadAgainAsTheSame() async throws {
        let shell = try Shell(programs: [])
        defer { shell.remove() }
        func file(_ name: String) -> FileArgument {
            FileArgument(argument: shell.folder.appendingPathComponent(name).path)
        }
        try "# Codes\n".write(
            to: shell.folder.appendingPathComponent("codes"),
            atomically: false,
            encoding: .utf8
        )
        let users = try ServerUsers(parsing: Array("alice:\(Self.old)\nbob:!\n".utf8), named: "users")
        var files = AccountFiles()
        files.codes = OneTimeCodesFile(name: file("codes"))
        files.recoveryCodes = RecoveryCodesFile(name: file("recovery"))
        let codes = try ServerOneTimeCodes(reading: file("codes"), users: users)
        let accounts = ServerAccounts(users: users, codes: codes, replacing: .nowhere, files: files)
        let key = try OneTimeCodeKey.generate(issuer: "example.org", account: "alice")
        #expect(try await !accounts.setOneTimeCode(key, ofAccountNamed: "nemo"))
        #expect(try await accounts.setOneTimeCode(key, ofAccountNamed: "alice"))
        #expect(
            try await accounts.oneTimeCode(ofAccountNamed: "alice")?.key.code(counter: 1).text
                == key.code(counter: 1).text
        )
        let revision = accounts.account(named: "alice")?.revision
        #expect(revision != nil)
        let again = try ServerOneTimeCodes(reading: file("codes"), users: users)
        #expect(again.revision(ofAccountNamed: "alice") == revision)
        #expect(accounts.replaceAll(by: users, again) == ([] as [String]))
        // A recovery code is valid once, and is gone with the key.
        let keys = (0..<3).map { StoreKey("\($0)") }
        #expect(try await !accounts.setRecoveryKeys(keys, ofAccountNamed: "bob"))
        #expect(try await accounts.setRecoveryKeys(keys, ofAccountNamed: "alice"))
        #expect(try await accounts.recoveryKeyCount(ofAccountNamed: "alice") == 3)
        #expect(try await accounts.recoveryKeyCount(ofAccountNamed: "bob") == 0)
        #expect(try await !accounts.consumeRecoveryCode(keys[0], ofAccountNamed: "bob"))
        #expect(try await accounts.consumeRecoveryCode(keys[0], ofAccountNamed: "alice"))
        #expect(try await !accounts.consumeRecoveryCode(keys[0], ofAccountNamed: "alice"))
        #expect(try await accounts.recoveryKeyCount(ofAccountNamed: "alice") == 2)
        #expect(try await accounts.setOneTimeCode(nil, ofAccountNamed: "alice"))
        #expect(try await accounts.recoveryKeyCount(ofAccountNamed: "alice") == 0)
        #expect(accounts.account(named: "alice")?.revision == nil)
        let modes = try shell.run("stat -c %a recovery; cat codes recovery")
        #expect(modes.text == "600\n# Codes\n", "\(modes.errors)")
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
            try UsersFile(name: .init(argument: "/proc/version")).checkPlace(for: "--replace-hashes")
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
