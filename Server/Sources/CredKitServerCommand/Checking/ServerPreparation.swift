// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal
import NIOCore
import NIOPosix

/// What a server is made of before it listens, and everything that is wrong with it.
///
/// The start and `credkit-server check` prepare a server alike, so that both find the same.
struct ServerPreparation {
    /// The server, its users, its certificate, and what it shares with other servers.
    typealias Parts = (server: LoginServer, users: LoadedUsers, tls: ServerTLS?, shared: SharedServerState?)

    private var problems: [CommandFailure] = []
    private var prepared: Parts?

    /// Reads all files, and connects to databases.
    ///
    /// - Parameters:
    ///   - command: The options.
    ///   - isCheck: Whether no server is to start: nothing is written then, and a certificate that is not valid now is a problem. A
    ///     server starts with one, since it must come back after a crash.
    ///   - changesUsers: Whether users are to be changed, also where they cannot change themselves.
    ///   - removedUser: The name of a user who is to be removed, and may have left a key of one-time codes.
    ///   - warns: Whether to tell what an operator should know of the options. It is told at the start and by `check`.
    init(
        _ command: CredKitServerCommand,
        isCheck: Bool,
        changesUsers: Bool = false,
        removing removedUser: String? = nil,
        warns: Bool = true
    ) async {
        let log = warns ? command.log : nil
        let clock = Self.attempt(&problems) { try ServerClock(timeZone: command.timeZone) }
        var keyPhrase: SecretBytes?
        if command.keyPhraseOptions.isGiven {
            keyPhrase = Self.attempt(&problems) { try command.keyPhraseOptions.read(raw: false) }
        }
        let users = await LoadedUsers(
            command,
            isWritten: changesUsers || command.accountOptions.accountChanges,
            removing: removedUser,
            warns: warns,
            &problems
        )
        var mechanisms: Set<ServerMechanism>?
        var mocks: ServerMocks?
        let hasMocks = command.mockKeyFile.map { ServerMocks.exists($0) } ?? true
        if let users {
            mechanisms = Self.attempt(&problems) { try command.mechanisms(for: users.file, log) }
            if let file = command.mockKeyFile {
                let kinds = SCRAM.MockVerifiers.Kind.counted(in: users.credentials)
                mocks = Self.attempt(&problems) { try ServerMocks.kept(in: file, kinds: kinds) }
            }
        }
        let tls = readTLS(command, isCheck: isCheck)
        let shared = await connect(command)
        let passkeys = await openPasskeys(command, shared, isCheck: isCheck)
        var accounts: AccountSettings?
        if let users, let page = command.page.settings {
            accounts =
                Self.attempt(&problems) {
                    try command.accountOptions.settings(
                        for: page,
                        users,
                        usersFile: command.users,
                        shared,
                        isCheck: isCheck
                    )
                } ?? nil
        }
        guard problems.isEmpty, let clock, let users, let mechanisms else { return }
        if !hasMocks, !isCheck, let mocks, let file = command.mockKeyFile {
            _ = Self.attempt(&problems) { try mocks.write(to: file) }
        }
        if !isCheck, command.createsCodes, let file = command.otpFile {
            _ = Self.attempt(&problems) { try NewSecretFile.write([], to: file) }
        }
        let server = Self.attempt(&problems) {
            var settings = command.settings
            settings.mechanisms = mechanisms
            settings.shared = shared
            settings.passkeys = passkeys
            settings.accounts = accounts
            if mechanisms.contains(.scram) {
                settings.scram = try command.scramSettings(users, mocks, tls, shared?.configuration, log)
            }
            return try LoginServer(
                settings: settings,
                accounts: users.table,
                usesOneTimeCodes: users.usesOneTimeCodes,
                clock: clock,
                keyPhrase: keyPhrase,
                health: ServerHealth(checks: shared.map { [$0.readiness] } ?? [])
            )
        }
        if let server { prepared = (server, users, tls, shared) }
    }

    private mutating func readTLS(_ command: CredKitServerCommand, isCheck: Bool) -> ServerTLS? {
        guard let files = command.tlsFiles,
            let tls = files.serverTLS(requiresBinding: command.requireChannelBinding, &problems)
        else { return nil }
        if let problem = files.problem(of: tls.identity) {
            if isCheck {
                problems.append(problem)
            } else {
                command.log.note(.warning, "configuration", problem.message ?? "")
            }
        }
        return tls
    }

    /// Connects to the state that several servers share; `nil` for a single server.
    private mutating func connect(_ command: CredKitServerCommand) async -> SharedServerState? {
        guard command.state.isShared else { return nil }
        do {
            let shared = try await SharedServerState(command.state)
            let found = await shared.problems()
            problems += found.map { shared.failure($0) }
            return shared
        } catch {
            problems.append(CommandFailure(starting: error))
            return nil
        }
    }

    /// Opens the passkeys of the users; `nil` if there are none.
    private mutating func openPasskeys(
        _ command: CredKitServerCommand,
        _ shared: SharedServerState?,
        isCheck: Bool
    ) async -> PasskeySettings? {
        guard let page = command.page.settings else { return nil }
        do {
            return try await command.passkeyOptions.settings(for: page, shared, isCheck: isCheck)
        } catch {
            problems.append(CommandFailure(starting: error))
            return nil
        }
    }

    private static func attempt<Value>(
        _ problems: inout [CommandFailure],
        _ body: () throws -> Value
    ) -> Value? {
        do {
            return try body()
        } catch {
            problems.append(CommandFailure(starting: error))
            return nil
        }
    }

    /// Finds addresses on which the server could not listen now.
    mutating func checkAddresses(of command: CredKitServerCommand) async {
        var addresses = [(command.listen, command.listen.url(hasTLS: command.tlsCert != nil))]
        if let metrics = command.operation.metrics {
            addresses.append((metrics, metrics.url(hasTLS: false)))
        }
        for (address, url) in addresses {
            do {
                let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .serverChannelOption(ChannelOptions.socketOption(.so_reuseaddr), value: 1)
                    .bind(host: address.host, port: Int(address.port))
                    .get()
                channel.close(promise: nil)
                try? await channel.closeFuture.get()
            } catch {
                problems.append(ServerRun.failure(to: url, error))
            }
        }
    }

    /// Returns what the server is made of.
    ///
    /// - Throws: ``CommandFailure``: the first problem. The others are reported.
    func parts() throws(CommandFailure) -> Parts {
        guard problems.isEmpty, let prepared else {
            for problem in problems.dropFirst() {
                StandardStreams.report(problem.message ?? "", from: "credkit-server")
            }
            throw problems.first ?? CommandFailure(.inputOutput, "the server cannot be prepared")
        }
        return prepared
    }
}

extension CommandFailure {
    /// Creates the failure of a server that cannot start because of an error.
    init(starting error: any Error) {
        if let failure = CommandFailure(reportingLibrary: error) {
            self = failure
        } else if let error = error as? LoginServerError {
            self.init(error.code == .outOfMemory ? .tryAgain : .malformed, error.description)
        } else {
            self.init(.inputOutput, "\(error)")
        }
    }
}
