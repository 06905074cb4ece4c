// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient
import CredKitKeychain
import CredKitTerminal

/// `credkit logout`: ends a login, and removes all of its stored data.
struct LogoutCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Log out and remove the session.",
        discussion: """
            For instance:
              credkit logout

            Without --session, the only session is used. The exit status is 1 if there is none, and 65 if there are \
            several.
            """
    )

    @Option(
        help: ArgumentHelp("The name of the session, as 'credkit sessions' shows it.", valueName: "name"),
        completion: NameCompletion.sessions
    )
    var session: TextArgument?

    @Flag(name: .shortAndLong, help: "Do not report success, or that there is no session.")
    var quiet = false

    @OptionGroup(title: "Connection")
    var connection: ConnectionOptions

    @OptionGroup(title: "Keychain")
    var keychainOptions: SessionKeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func validate() throws {
        try InputSources.check(connection, keychainOptions)
    }

    func execute() async throws {
        let keychain = try await keychainOptions.keychain()
        let configuration = try await connection.configuration { keychain }
        let name = try await name(in: keychain)
        let session: LoginSession?
        do throws(ClientError) {
            session = try await LoginSession.open(
                named: name,
                in: keychain,
                configuration: configuration
            )
        } catch {
            guard error == .storage || error == .insecureFile else { throw error }
            session = nil
        }
        guard let session, let account = session.account else {
            return try await remove(name, keychain, configuration)
        }
        try await session.logOut()
        if !quiet {
            let user = account == LoginCommand.accountOfToken ? "" : "\(account) "
            StandardStreams.report(
                ShellQuoting.escapingUnprintable("logged out \(user)of the session '\(name)'")
            )
        }
    }

    /// Returns the name of the session to end.
    private func name(in keychain: Keychain) async throws -> String {
        let names = try await LoginSession.savedSessionNames(in: keychain)
        if let name = session?.text {
            guard names.contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
                throw CommandFailure(.no, quiet ? nil : "there is no session '\(name)'")
            }
            return name
        }
        guard let name = names.first else {
            throw CommandFailure(.no, quiet ? nil : "there is no session")
        }
        guard names.count == 1 else {
            let all = names.sorted().map { ShellQuoting.escapingUnprintable("'\($0)'") }
            throw CommandFailure(
                .malformed,
                "there are several sessions; choose one with --session: \(all.joined(separator: ", "))"
            )
        }
        return name
    }

    /// Removes the rest of a session that cannot be read.
    private func remove(
        _ name: String,
        _ keychain: Keychain,
        _ configuration: LoginSession.Configuration
    ) async throws {
        var configuration = configuration
        configuration.name = name
        // This session has no login, so logging out sends nothing.
        let session = try LoginSession(
            server: "https://localhost",
            profile: .form(),
            keychain: keychain,
            configuration: configuration
        )
        try await session.logOut()
        let text = ShellQuoting.escapingUnprintable(name)
        StandardStreams.report(
            "removed the damaged session '\(text)'; if its password was saved, it is still in the keychain"
        )
    }
}
