// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitServer
import CredKitTerminal

/// The `credkit-server passkeys` command: what an administrator does about the passkeys of a user.
struct PasskeysCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "credkit-server passkeys",
        abstract: "List or remove the passkeys of a user, or make a link to add one.",
        discussion: """
            For instance:
              credkit-server passkeys list alice --config credkit-server.conf
              credkit-server passkeys link alice --config credkit-server.conf

            Run it as the user of the server, with its options. The server may run. 'list' prints a line for each passkey: its \
            reference, which is in the log of the server, the time of its enrolment, that of its last login or -, and its name. \
            'remove' removes all of them. Who opens what 'link' prints can add one passkey to the account, within an hour, and \
            log in with it: send it over a way that only the user can read. A link of a single server ends when that server \
            stops.
            """
    )

    /// What to do.
    enum Action: String, ExpressibleByArgument, CaseIterable {
        case list, remove, link
    }

    @Argument(help: "What to do: list, remove or link.")
    var action: Action

    @Argument(help: "The name of the user.")
    var user: String

    @OptionGroup
    var server: CredKitServerCommand

    func validate() throws {
        guard server.passkeyOptions.areGiven else {
            throw ValidationError("The server has no passkeys: give --passkeys or --passkeys-in-state.")
        }
    }

    func execute() async throws {
        // A certificate that has expired must not keep an administrator from removing a passkey.
        var command = server
        command.tlsCert = nil
        command.tlsKey = nil
        let parts = try await ServerPreparation(command, isCheck: true, warns: false).parts()
        let service = parts.server.service
        do {
            switch action {
            case .list: try await list(service)
            case .remove: try await remove(service, isShared: parts.shared != nil)
            case .link: try await link(service, parts.server.settings, parts.server.accounts)
            }
        } catch let error as LoginServerError {
            throw CommandFailure(.unavailable, error.description)
        }
        await parts.shared?.stop()
    }

    private func remove(_ service: LoginService, isShared: Bool) async throws {
        let count = try await service.removeAllPasskeys(ofAccountNamed: user)
        guard count > 0 else { throw CommandFailure(.no, "'\(shownUser)' has no passkeys") }
        try StandardStreams.writeLine("removed \(count)")
        guard !isShared else { return }
        StandardStreams.report(
            "sessions of the user at a server that runs go on until they end by age, or until it restarts",
            from: "credkit-server"
        )
    }

    private func list(_ service: LoginService) async throws {
        let passkeys = try await service.passkeys(ofAccountNamed: user)
        guard !passkeys.isEmpty else { throw CommandFailure(.no, "'\(shownUser)' has no passkeys") }
        for passkey in passkeys {
            let last = passkey.lastUse.map { "\($0)" } ?? "-"
            let name = ShellQuoting.escapingUnprintable(passkey.name)
            try StandardStreams.writeLine("\(passkey.reference)\t\(passkey.created)\t\(last)\t\(name)")
        }
    }

    private func link(
        _ service: LoginService,
        _ settings: LoginServer.Settings,
        _ accounts: any ServerUserTable
    ) async throws {
        try settings.passkeys?.keyFile?.requireServer()
        guard let page = settings.page, let link = try await service.makePasskeyLink(forAccountNamed: user)
        else {
            throw CommandFailure(.no, "there is no user '\(shownUser)'")
        }
        let account = try await accounts.account(named: user)
        guard let account, account.credential != .unusable else {
            throw CommandFailure(
                .no,
                "'\(shownUser)' has no password, and the server accepts no passkey of such a user: set a password first"
            )
        }
        // Behind #, it is in no log of a proxy.
        try StandardStreams.writeLine("\(page.sites[0].text)/auth/passkeys/link#\(link)")
    }

    private var shownUser: String { ShellQuoting.escapingUnprintable(user) }
}
