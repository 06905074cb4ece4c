// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitServer
import CredKitTerminal
import Glibc

/// The `credkit-server check` command: reports everything that is wrong with the configuration.
struct CheckCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "credkit-server check",
        abstract: "Check the options and the files of a server without starting it.",
        discussion: """
            Reports all problems at once, each on a line of standard error, and exits with the status with which the server \
            would refuse the first one. It listens nowhere and writes no file; it connects to a shared state. A certificate that expires within 14 days, \
            a secret file that other users can read, and hashes for which all wrong passwords would wait, are reported as warnings \
            and do not change the exit status.
            """
    )

    /// The time before its expiry in which a certificate is reported.
    private static let renewal = Duration.seconds(14 * 86_400)

    @OptionGroup
    var server: CredKitServerCommand

    func execute() async throws {
        var problems: [CommandFailure] = []
        var facts: [String] = []
        do {
            if server.keyPhraseOptions.isGiven { _ = try server.keyPhraseOptions.read(raw: false) }
        } catch let failure as CommandFailure {
            problems.append(failure)
        }
        if let users = readUsers(&problems) {
            checkCodes(of: users, &problems)
            try checkMechanisms(for: users, &problems)
            try await warn(ofDearHashesIn: users.credentials)
            facts.append("\(users.count) users")
        }
        try await checkTable(&problems, &facts)
        if let files = server.tlsFiles, let expiry = files.check(&problems) {
            if expiry < .now + Self.renewal {
                warn("\(files.certificate.quotedForMessage): the certificate expires soon, at \(expiry)")
            }
            facts.append("the certificate expires at \(expiry)")
        }
        // Last, as the server does.
        try await checkState(&problems, &facts)
        for file in [
            server.users, server.otpFile, server.tlsKey, server.keyPhraseOptions.keyPhraseFile,
            server.userTable.usersPasswordFile, server.mockKeyFile, server.state.stateKeyFile,
            server.state.statePasswordFile,
            server.state.stateClientKey,
        ] {
            if let file, Self.isReadableByOthers(file) {
                warn("\(file.quotedForMessage): other users of this machine can read it")
            }
        }
        for problem in problems.dropFirst() {
            StandardStreams.report(problem.message ?? "", from: "credkit-server")
        }
        if let first = problems.first { throw first }
        try StandardStreams.writeLine("ok: \(facts.joined(separator: ", "))")
    }

    /// Returns the users; `nil` if the file cannot be read. Those of damaged lines are missing.
    private func readUsers(_ problems: inout [CommandFailure]) -> ServerUsers? {
        do throws(CommandFailure) {
            return try server.users.map { file throws(CommandFailure) in
                ServerUsers(try ServerLines(reading: file), problems: &problems)
            }
        } catch {
            problems.append(error)
            return nil
        }
    }

    private func checkTable(_ problems: inout [CommandFailure], _ facts: inout [String]) async throws {
        do {
            guard let table = try server.userTable.accounts() else { return }
            if let file = server.otpFile {
                _ = ServerOneTimeCodes(try ServerLines(reading: file), users: nil, problems: &problems)
            }
            try await warn(ofDearHashesIn: LoadedUsers.sample(of: table))
            facts.append("the table of users can be read")
        } catch let failure as CommandFailure {
            problems.append(failure)
        }
    }

    private func checkState(_ problems: inout [CommandFailure], _ facts: inout [String]) async throws {
        guard server.state.isShared else { return }
        do {
            let shared = try await SharedServerState(server.state)
            let found = await shared.problems()
            problems += found.map(shared.failure)
            if found.isEmpty { facts.append("\(shared.engineName) can keep the shared state") }
            await shared.stop()
        } catch let failure as CommandFailure {
            problems.append(failure)
        }
    }

    private func checkCodes(of users: ServerUsers, _ problems: inout [CommandFailure]) {
        guard let file = server.otpFile else { return }
        do throws(CommandFailure) {
            _ = ServerOneTimeCodes(try ServerLines(reading: file), users: users, problems: &problems)
        } catch {
            problems.append(error)
        }
    }

    private func checkMechanisms(for users: ServerUsers, _ problems: inout [CommandFailure]) throws {
        ServerLines.collect(&problems) { () throws(CommandFailure) in _ = try server.mechanisms(for: users) }
        // The server makes the file of the key if there is none.
        guard let file = server.mockKeyFile, ServerMocks.exists(file) else { return }
        do {
            let kinds = SCRAM.MockVerifiers.Kind.counted(in: users.credentials)
            let mocks = try ServerMocks.kept(in: file, kinds: kinds)
            if !mocks.matches(
                kinds,
                statesSubject: server.mixedVerifiers || server.replaceVerifiers
            ) {
                warn("\(file.quotedForMessage): the kinds of verifiers in it are not those of the users file")
            }
        } catch let failure as CommandFailure {
            problems.append(failure)
        }
    }

    /// Warns of hashes for which all wrong passwords would wait.
    private func warn(ofDearHashesIn credentials: [StoredCredential]) async throws {
        guard server.mechanism.isEmpty || server.mechanism.contains(.form) else { return }
        let keyPhrase = server.keyPhraseOptions.isGiven ? try? server.keyPhraseOptions.read(raw: false) : nil
        let passwords = try PasswordService(keyPhrase: keyPhrase)
        if let warning = try await passwords.prepare(for: credentials) { warn(warning) }
    }

    private func warn(_ message: String) {
        StandardStreams.report("warning: \(message)", from: "credkit-server")
    }

    private static func isReadableByOthers(_ file: FileArgument) -> Bool {
        var status = stat()
        guard !file.isStandardInput, file.descriptor == nil,
            stat(file.bytes.map { CChar(bitPattern: $0) } + [0], &status) == 0
        else { return false }
        return status.st_mode & S_IFMT == S_IFREG && status.st_mode & S_IROTH != 0
    }
}
