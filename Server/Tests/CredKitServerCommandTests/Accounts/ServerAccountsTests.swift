// Part of CredKit. SPDX-License-Identifier: Apache-2.0

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
        try file.set(keys, ofUserNamed: "alice")
        let count = try await withThrowingTaskGroup(of: Bool.self) { group in
            for key in keys + keys + keys {
                group.addTask {
                    try await AccountFiles.blocking { try file.consume(key, ofUserNamed: "alice") }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(count == 8)
        #expect(try file.count(ofUserNamed: "alice") == 0)
    }
}
