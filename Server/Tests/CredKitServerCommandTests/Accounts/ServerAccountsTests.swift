// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal
import CredKitTestSupport
import CredKitTesting
import Foundation
import Testing

@testable import CredKitServerCommand

/// The users of a file as a table that can be written.
@Suite struct ServerAccountsTests {
    @Test func fileIsATableThatCanBeWritten() async throws {
        let shell = try Shell(programs: [])
        defer { shell.remove() }
        let path = shell.folder.appendingPathComponent("users")
        try "# The last user is not removed.\nlast:!\n".write(to: path, atomically: false, encoding: .utf8)
        let name = FileArgument(argument: path.path)
        let users = try ServerUsers(reading: name)
        let suite = WritableAccountsSuite {
            var files = AccountFiles()
            files.users = UsersFile(name: name)
            return ServerAccounts(users: users, codes: nil, replacing: .nowhere, files: files)
        }
        try await suite.run()
        #expect(
            try String(contentsOf: path, encoding: .utf8) == "# The last user is not removed.\nlast:!\n"
        )
    }

    @Test func numbersAreThoseOfTheFile() throws {
        var users = try ServerUsers(parsing: Array("a:!\nb:!\nc:!\n".utf8), named: "users")
        users.remove("a")
        users.set(.unusable, of: "d")
        users.set(.unusable, of: "b")
        let read = try ServerUsers(parsing: Array("b:!\nc:!\nd:!\n".utf8), named: "users")
        for name in ["a", "b", "c", "d"] { #expect(users[name]?.id == read[name]?.id, "\(name)") }
    }

    @Test func withoutFilesNothingIsWritten() async throws {
        let users = try ServerUsers(parsing: Array("a:!\n".utf8), named: "users")
        let accounts = ServerAccounts(users: users, codes: nil, replacing: .nowhere)
        #expect(!accounts.isWritable)
        await #expect(throws: CommandFailure.self) {
            try await accounts.set(.unusable, inPlaceOf: nil, ofAccountNamed: "b")
        }
        await #expect(throws: CommandFailure.self) { try await accounts.remove(accountNamed: "a") }
        await #expect(throws: CommandFailure.self) {
            try await accounts.setOneTimeCode(nil, ofAccountNamed: "a")
        }
        await #expect(throws: CommandFailure.self) {
            try await accounts.setRecoveryKeys([StoreKey("a")], ofAccountNamed: "a")
        }
        #expect(try await !accounts.consumeRecoveryCode(StoreKey("a"), ofAccountNamed: "a"))
    }

    /// A recovery code that several processes get at once is valid once.
    @Test func aRecoveryCodeIsUsedOnce() async throws {
        let shell = try Shell(programs: [])
        defer { shell.remove() }
        let file = RecoveryCodesFile(
            name: FileArgument(argument: shell.folder.appendingPathComponent("recovery").path)
        )
        let keys = (0..<8).map { StoreKey("\($0)") }
        let revision = StoreKey("a key of one-time codes")
        try file.set(keys, with: revision, ofUserNamed: "alice")
        let count = try await withThrowingTaskGroup(of: Bool.self) { group in
            for key in keys + keys + keys {
                group.addTask {
                    try await AccountFiles.blocking {
                        try file.consume(key, with: revision, ofUserNamed: "alice")
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(count == 8)
        #expect(try file.count(with: revision, ofUserNamed: "alice") == 0)
    }

    /// A table with the user alice, and empty files of codes.
    private func accounts(in shell: Shell) throws -> ServerAccounts {
        func file(_ name: String) -> FileArgument {
            FileArgument(argument: shell.folder.appendingPathComponent(name).path)
        }
        try Data().write(to: shell.folder.appendingPathComponent("codes"))
        let users = try ServerUsers(parsing: Array("alice:!\n".utf8), named: "users")
        var files = AccountFiles()
        files.codes = OneTimeCodesFile(name: file("codes"))
        files.recoveryCodes = RecoveryCodesFile(name: file("recovery"))
        let codes = try ServerOneTimeCodes(parsing: [], named: "codes", users: users)
        return ServerAccounts(users: users, codes: codes, replacing: .nowhere, files: files)
    }

    private func key() throws -> OneTimeCodeKey {
        try OneTimeCodeKey.generate(issuer: "example.org", account: "alice")
    }

    /// Of several keys at once, one is stored, and the others are told so.
    @Test func aKeyIsStoredInPlaceOfNoOther() async throws {
        let shell = try Shell(programs: [])
        defer { shell.remove() }
        let accounts = try accounts(in: shell)
        let keys = try (0..<8).map { _ in try key() }
        let stored = try await withThrowingTaskGroup(of: Int?.self) { group in
            for (index, key) in keys.enumerated() {
                group.addTask {
                    try await accounts.setOneTimeCode(key, ofAccountNamed: "alice") ? index : nil
                }
            }
            var stored: [Int] = []
            for try await index in group { if let index { stored.append(index) } }
            return stored
        }
        #expect(stored.count == 1)
        let index = try #require(stored.first)
        let text = try OneTimeCodesFile.text(of: keys[index])
        let line = Array("alice:".utf8) + text + Array("\n".utf8)
        let content = try Data(contentsOf: shell.folder.appendingPathComponent("codes"))
        #expect(Array(content) == line)
        let inMemory = try await accounts.oneTimeCode(ofAccountNamed: "alice")
        #expect(inMemory?.key.code(counter: 1).text == keys[index].code(counter: 1).text)
        // The recovery codes of the stored key stay.
        #expect(try await accounts.setRecoveryKeys([StoreKey("a")], ofAccountNamed: "alice"))
        #expect(try await !accounts.setOneTimeCode(key(), ofAccountNamed: "alice"))
        #expect(try await accounts.recoveryKeyCount(ofAccountNamed: "alice") == 1)
    }

    /// Recovery codes end with their key, also if the operator changes the file.
    @Test func recoveryCodesDoNotOutliveTheirKey() async throws {
        let shell = try Shell(programs: [])
        defer { shell.remove() }
        let accounts = try accounts(in: shell)
        let users = try ServerUsers(parsing: Array("alice:!\n".utf8), named: "users")
        let codes = shell.folder.appendingPathComponent("codes")
        func reload(_ bytes: [UInt8]) throws {
            try Data(bytes).write(to: codes)
            let read = try ServerOneTimeCodes(parsing: bytes, named: "codes", users: users)
            #expect(accounts.replaceAll(by: users, read) == (["alice"] as [String]))
        }
        let recovery = StoreKey("a")
        func isLeft() async throws -> Bool {
            try await accounts.recoveryKeyCount(ofAccountNamed: "alice") == 1
        }
        #expect(try await accounts.setOneTimeCode(key(), ofAccountNamed: "alice"))
        #expect(try await accounts.setRecoveryKeys([recovery], ofAccountNamed: "alice"))
        #expect(try await isLeft())
        let first = Array(try Data(contentsOf: codes))
        // Another key in the place of the first.
        let other = try OneTimeCodesFile.text(of: key())
        try reload(Array("alice:".utf8) + other + Array("\n".utf8))
        #expect(try await !isLeft())
        #expect(try await !accounts.consumeRecoveryCode(recovery, ofAccountNamed: "alice"))
        // No key, and then a new one.
        try reload([])
        #expect(try await !isLeft())
        #expect(try await !accounts.consumeRecoveryCode(recovery, ofAccountNamed: "alice"))
        #expect(try await accounts.setOneTimeCode(key(), ofAccountNamed: "alice"))
        #expect(try await !isLeft())
        #expect(try await !accounts.consumeRecoveryCode(recovery, ofAccountNamed: "alice"))
        // They were removed, so that the first key does not bring them back.
        try reload(first)
        #expect(try await !isLeft())
        #expect(try await !accounts.consumeRecoveryCode(recovery, ofAccountNamed: "alice"))
    }
}
