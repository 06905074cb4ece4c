// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitServer
import CredKitTerminal

/// The `credkit-server users` command: what an administrator does about users, in a file or a table.
struct UsersCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "credkit-server users",
        abstract: "Add, remove, list or invite users.",
        discussion: """
            For instance:
              credkit-server users list --config credkit-server.conf
              credkit-server users invite alice --config credkit-server.conf

            Run it as the user of the server, with its options. The server may run. 'set' adds a user, or replaces the password \
            of one, and ends the sessions of the user. 'delete' removes a user with passkeys and codes.

            'invite' adds a user without a password, and 'reset' is for one who has forgotten it. Both require \
            --account-changes and print a link, or give it to the program of --notify-command, which gets a line on its standard \
            input: {"event":"invitation","expires":…,"link":…,"user":…}. Who opens the link can choose the password, once, \
            within seven days of an invitation, or within an hour: send it over a way that only the user can read. A link of a \
            single server ends when that server stops.
            """
    )

    /// What to do.
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case set, delete, list, invite, reset
    }

    @Argument(help: "What to do: set, delete, list, invite or reset.")
    var action: Action

    @Argument(help: "The name of the user. 'list' takes none.")
    var user: String?

    // It may be a password, so the message does not repeat it.
    @Argument(help: ArgumentHelp("", visibility: .private))
    var strayArguments: [String] = []

    @Option(
        help: ArgumentHelp(
            "For 'set': a file with the password. The default is standard input, with a prompt at a terminal.",
            valueName: "file"
        )
    )
    var passwordFile: FileArgument?

    @OptionGroup
    var server: CredKitServerCommand

    func validate() throws {
        guard strayArguments.isEmpty else {
            throw ValidationError(
                "There is an argument too many, which is not shown here. A password is never given on the command line: give it "
                    + "with --password-file, at the prompt, or on standard input."
            )
        }
        guard (user == nil) == (action == .list) else {
            throw ValidationError(
                action == .list
                    ? "'list' lists all users and takes no name."
                    : "'\(action.rawValue)' requires the name of the user."
            )
        }
        guard action == .set || passwordFile == nil else {
            throw ValidationError("--password-file is an option of 'set'.")
        }
        guard action == .list || server.users?.descriptor == nil else {
            throw ValidationError("'\(action.rawValue)' requires a users file that has a name.")
        }
        switch action {
        case .set, .invite: try UserName.check(user ?? "", hasSite: !server.page.site.isEmpty)
        case .reset:
            guard (user ?? "").utf8.count <= UserName.byteCountLimit else {
                throw ValidationError(
                    "'reset' makes no links for names of over \(UserName.byteCountLimit) bytes: rename the user first."
                )
            }
        case .delete, .list: break
        }
        guard action != .invite && action != .reset || server.accountOptions.accountChanges else {
            throw ValidationError(
                "'\(action.rawValue)' requires --account-changes, for the page of the link."
            )
        }
    }

    func execute() async throws {
        var command = server
        // A certificate that has expired must not keep an administrator from removing a user.
        command.tlsCert = nil
        command.tlsKey = nil
        let parts = try await ServerPreparation(
            command,
            isCheck: true,
            changesUsers: action != .list,
            removing: action == .delete ? user : nil,
            warns: false
        )
        .parts()
        let change = UserChange(
            parts.server,
            user: user ?? "",
            isShared: parts.shared != nil,
            isFile: server.users != nil
        )
        do {
            switch action {
            case .set: try await change.set { try readPassword() }
            case .delete: try await change.delete(codes: server.otpFile, server.accountOptions.recoveryCodes)
            case .list: try await change.list()
            case .invite: try await change.invite()
            case .reset: try await change.reset()
            }
        } catch let error as LoginServerError {
            throw CommandFailure(.unavailable, error.description)
        } catch let error as SharedStateError {
            throw CommandFailure(.unavailable, "cannot change the table of users: \(error)")
        }
        await parts.shared?.stop()
    }

    private func readPassword() throws -> SecretBytes {
        let reader = try SecretReader(
            file: passwordFile,
            descriptor: nil,
            option: "--password-file",
            prompt: "Password of \(ShellQuoting.escapingUnprintable(user ?? "")): "
        )
        let password = try reader.readNew(keepsLineFeed: false)
        guard !password.isEmpty else {
            throw CommandFailure(.malformed, "the password is empty, and nothing was done")
        }
        return password
    }
}
