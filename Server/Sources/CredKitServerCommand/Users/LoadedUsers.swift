// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal

/// The users that a server starts with, from a file or a table.
struct LoadedUsers: Sendable {
    /// What the file contains; `nil` for a table.
    let file: ServerUsers?
    /// Their credentials, or some of those in a table.
    let credentials: [StoredCredential]
    /// Finds a user.
    let table: any ServerUserTable
    /// Whether there are keys of one-time codes.
    let usesOneTimeCodes: Bool
    private let accounts: ServerAccounts?

    /// Reads the users of a command, or a part of their table, which also shows whether it can be read. Users of damaged lines are
    /// missing; there are no users at all if they cannot be read.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - isWritten: Whether users can be changed, if that is possible.
    ///   - removedUser: The name of a user who is to be removed, and whose key of one-time codes may be left.
    ///   - warns: Whether to tell what users cannot change because of the options.
    ///   - problems: Gets what is wrong with the files and the table.
    init?(
        _ command: CredKitServerCommand,
        isWritten: Bool,
        removing removedUser: String?,
        warns: Bool,
        _ problems: inout [CommandFailure]
    ) async {
        let users = Self.users(of: command, &problems)
        let codes = Self.codes(of: command, users, removing: removedUser, &problems)
        file = users
        usesOneTimeCodes = codes != nil
        let files = isWritten ? AccountFiles(command, warns: warns) : AccountFiles()
        if let users {
            let accounts = ServerAccounts(
                users: users,
                codes: codes,
                replacing: command.replacing,
                files: files
            )
            (credentials, table, self.accounts) = (users.credentials, accounts, accounts)
            return
        }
        do {
            guard let stored = try command.userTable.accounts() else { return nil }
            let sample = try await Self.sample(of: stored)
            let replaces = command.replaceVerifiers || command.replaceHashes
            if replaces { try await Self.checkReplacing(in: stored) }
            credentials = sample
            var isWritable = false
            if isWritten { isWritable = await Self.isWritable(stored, command.log) }
            table = DatabaseUsers(
                stored,
                codes: codes,
                replacementLog: replaces ? command.log : nil,
                isWritable: isWritable,
                files: files
            )
            accounts = nil
        } catch {
            problems.append(CommandFailure(starting: error))
            return nil
        }
    }

    private static func users(
        of command: CredKitServerCommand,
        _ problems: inout [CommandFailure]
    ) -> ServerUsers? {
        guard let file = command.users else { return nil }
        do throws(CommandFailure) {
            let users = ServerUsers(try ServerLines(reading: file), problems: &problems)
            if command.replaceHashes { try UsersFile(name: file).checkPlace(for: "--replace-hashes") }
            return users
        } catch {
            problems.append(error)
            return nil
        }
    }

    private static func codes(
        of command: CredKitServerCommand,
        _ users: ServerUsers?,
        removing removedUser: String?,
        _ problems: inout [CommandFailure]
    ) -> ServerOneTimeCodes? {
        guard let file = command.otpFile else { return nil }
        do throws(CommandFailure) {
            if command.createsCodes { try NewSecretFile.checkPlace(of: file) }
            let lines =
                try command.createsCodes
                ? ServerLines([], named: file.quotedForMessage) : ServerLines(reading: file)
            return ServerOneTimeCodes(
                lines,
                users: users,
                isFormer: { removedUser?.utf8.elementsEqual($0.utf8) ?? false },
                problems: &problems
            )
        } catch {
            problems.append(error)
            return nil
        }
    }

    /// Reads some credentials of a table, and whether its users can be looked up.
    ///
    /// - Parameter accounts: The table.
    /// - Returns: The credentials.
    /// - Throws: ``CommandFailure`` if the table cannot be read.
    static func sample(of accounts: PostgreSQLAccounts) async throws(CommandFailure) -> [StoredCredential] {
        do {
            // First, since it may take longer than a login, as the first use of a table does.
            let credentials = try await accounts.sample()
            _ = try await accounts.account(named: "")
            _ = try await accounts.identifier(named: "")
            return credentials
        } catch {
            throw CommandFailure(.unavailable, "cannot read the table of users: \(error)")
        }
    }

    /// Throws if credentials cannot be replaced in a table. Nothing changes there: no user has an empty name.
    private static func checkReplacing(in accounts: PostgreSQLAccounts) async throws(CommandFailure) {
        do {
            let none = try StoredCredential("!")
            try await accounts.replace(none, with: none, ofAccountNamed: "")
        } catch {
            throw CommandFailure(.unavailable, "cannot change the table of users: \(error)")
        }
    }

    /// Returns whether users can change their passwords in a table, and tells if they cannot.
    private static func isWritable(_ accounts: PostgreSQLAccounts, _ log: ServerLog) async -> Bool {
        do throws(CommandFailure) {
            try await checkReplacing(in: accounts)
            return true
        } catch {
            log.note(
                .warning,
                "configuration",
                "users cannot change their passwords: \(error.message ?? "")"
            )
            return false
        }
    }

    /// Returns the users file, to read it again when it has changed. A table is read at each login.
    ///
    /// - Parameters:
    ///   - command: The command.
    ///   - server: The server, whose sessions of changed users end.
    /// - Returns: The files; `nil` for a table.
    func reloadedFiles(_ command: CredKitServerCommand, _ server: LoginServer) -> ReloadedFiles? {
        guard let accounts, let users = command.users else { return nil }
        return server.reloadedFiles(users: users, codes: command.otpFile, into: accounts)
    }
}
