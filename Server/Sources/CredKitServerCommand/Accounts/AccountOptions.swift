// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitServer
import CredKitTerminal

/// The options for what users can change themselves.
struct AccountOptions: ParsableArguments {
    @Flag(
        help: """
            With --site: users can change their passwords, one-time codes and sessions at /auth/account, if the users file or the \
            table can be written, and get the links of 'credkit-server users'.
            """
    )
    var accountChanges = false

    @Option(
        help: ArgumentHelp(
            """
            Passwords that users may not choose, besides the most common ones: a password on each line, or a filter of \
            'credkit blocklist build'.
            """,
            valueName: "file"
        )
    )
    var passwordBlocklist: FileArgument?

    @Option(
        help: ArgumentHelp(
            "The minimum length, from 8 to 64 characters, of the passwords that users choose (default: 15).",
            valueName: "n"
        )
    )
    var passwordMinimumLength: Int?

    @Option(
        help: ArgumentHelp(
            "A file for the recovery codes of users with a key in --otp-file; it is created if there is none.",
            valueName: "file"
        )
    )
    var recoveryCodes: FileArgument?

    @Option(
        help: ArgumentHelp(
            """
            The path of a program that sends links to users, and tells them what was changed. It gets a JSON object on its standard \
            input.
            """,
            valueName: "file"
        )
    )
    var notifyCommand: FileArgument?

    /// The options that require ``accountChanges``.
    private var others: [(String, Bool)] {
        [
            ("--password-blocklist", passwordBlocklist != nil),
            ("--password-minimum-length", passwordMinimumLength != nil),
            ("--recovery-codes", recoveryCodes != nil), ("--notify-command", notifyCommand != nil),
        ]
    }

    /// Checks what the options require of others.
    ///
    /// - Parameter server: The command.
    /// - Throws: `ValidationError`.
    func check(with server: CredKitServerCommand) throws {
        guard accountChanges else {
            if let option = others.first(where: \.1) {
                throw ValidationError("\(option.0) requires --account-changes.")
            }
            return
        }
        guard !server.page.site.isEmpty else {
            throw ValidationError("--account-changes requires --site, at which users change their accounts.")
        }
        guard server.mechanism.allSatisfy({ $0 != .scram && $0 != .timestamp }) else {
            throw ValidationError(
                "--account-changes stores new passwords as Argon2id, with which users cannot log in by scram or timestamp: leave out "
                    + "these mechanisms."
            )
        }
        if let users = server.users {
            guard users.descriptor == nil else {
                throw ValidationError("--account-changes requires a users file that has a name.")
            }
            // Another server would read the file again, and end the session in which the password was changed.
            guard !server.state.isShared else {
                throw ValidationError(
                    "--account-changes of several servers requires a table of PostgreSQL: give --users-database in place of --users."
                )
            }
        }
        if let recoveryCodes {
            guard server.otpFile != nil, recoveryCodes.descriptor == nil, !server.state.isShared else {
                throw ValidationError(
                    "--recovery-codes requires --otp-file and a file that has a name, and is for a single server."
                )
            }
        }
        guard passwordMinimumLength.map({ (8...64).contains($0) }) ?? true else {
            throw ValidationError("--password-minimum-length must be from 8 to 64 characters.")
        }
        guard notifyCommand.map({ $0.bytes.first == UInt8(ascii: "/") }) ?? true else {
            throw ValidationError(
                "--notify-command must be the absolute path of a program, such as /usr/local/bin/notify."
            )
        }
    }

    /// Returns what users can change.
    ///
    /// - Parameters:
    ///   - page: The sites.
    ///   - users: The users.
    ///   - usersFile: The users file; `nil` for a table.
    ///   - shared: What several servers share; `nil` for a single server.
    ///   - isCheck: Whether no server is to start: the key is then that of the server that runs, if there is one.
    /// - Returns: The settings; `nil` without ``accountChanges``.
    /// - Throws: ``CommandFailure``, `LoginServerError` or `PasswordError` for a file that cannot be used.
    func settings(
        for page: PageSettings,
        _ users: LoadedUsers,
        usersFile: FileArgument?,
        _ shared: SharedServerState?,
        isCheck: Bool
    ) throws -> AccountSettings? {
        guard accountChanges else { return nil }
        var keyFile: LinkKeyFile?
        if shared == nil, let usersFile, users.table.isWritable {
            keyFile = LinkKeyFile(beside: usersFile)
        }
        let key = try shared?.configuration.derivedKey(for: "accounts") ?? (isCheck ? keyFile?.read() : nil)
        return AccountSettings(
            notify: notifyCommand.map { NotifyCommand($0) },
            otpIssuer: page.cookieDomain ?? page.sites[0].host,
            offersCodes: users.table.files.codes != nil,
            offersRecoveryCodes: users.table.files.recoveryCodes != nil,
            canWritePasswords: users.table.isWritable,
            key: try key ?? SecretBytes(randomByteCount: AccountConfiguration.keyByteCount),
            keyFile: keyFile,
            requirements: try requirements()
        )
    }

    private func requirements() throws -> PasswordRequirements {
        var requirements = PasswordRequirements(blocklists: [.common])
        if let passwordMinimumLength { requirements.minimumLength = passwordMinimumLength }
        guard let passwordBlocklist else { return requirements }
        let path = passwordBlocklist.display
        do throws(PasswordError) {
            let list =
                if Self.isFilter(passwordBlocklist) {
                    try PasswordBlocklist(filter: path)
                } else {
                    try PasswordBlocklist(wordsIn: path)
                }
            requirements.blocklists.append(list)
        } catch {
            throw CommandFailure(
                CommandFailure(reporting: error).status,
                "\(passwordBlocklist.quotedForMessage): \(error)"
            )
        }
        return requirements
    }

    /// Whether a file begins as a filter does.
    private static func isFilter(_ file: FileArgument) -> Bool {
        var beginning: [UInt8] = []
        struct Enough: Error {}
        // What cannot be read is reported when the list is opened.
        try? InputFile(file).forEachChunk(showsProgress: false) { chunk in
            for index in chunk.indices.prefix(3) { beginning.append(chunk[index]) }
            throw Enough()
        }
        return beginning.starts(with: "PWQ".utf8)
    }
}
