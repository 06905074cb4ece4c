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
            would refuse the first one. It writes no file and answers no request, but it connects to a shared state, and finds \
            out whether the addresses are free: give --running while the server runs. A certificate that clients refuse now is \
            a problem. One that expires within 14 days, a secret file that other users can read, and hashes for which all \
            wrong passwords would wait are warnings, which do not change the exit status.
            """
    )

    /// The time before its expiry in which a certificate is reported.
    private static let renewal = Duration.seconds(14 * 86_400)

    @Flag(help: "The server runs already: its addresses may be in use.")
    var running = false

    @OptionGroup
    var server: CredKitServerCommand

    func execute() async throws {
        var preparation = await ServerPreparation(server, isCheck: true)
        if !running { await preparation.checkAddresses(of: server) }
        warnOfReadableSecrets()
        let parts = try preparation.parts()
        await parts.server.preparePasswords(for: parts.users.credentials)
        await parts.shared?.stop()
        var facts = [parts.users.file.map { "\($0.count) users" } ?? "the table of users can be read"]
        if let tls = parts.tls {
            let expiry = tls.identity.expiry
            if expiry < .now + Self.renewal {
                warn("\(tls.files.certificate.quotedForMessage): the certificate expires soon, at \(expiry)")
            }
            facts.append("the certificate expires at \(expiry)")
        }
        if let shared = parts.shared { facts.append("\(shared.engineName) can keep the shared state") }
        try StandardStreams.writeLine("ok: \(facts.joined(separator: ", "))")
    }

    private func warnOfReadableSecrets() {
        for file in [
            server.users, server.otpFile, server.tlsKey, server.keyPhraseOptions.keyPhraseFile,
            server.userTable.usersPasswordFile, server.mockKeyFile, server.state.stateKeyFile,
            server.state.statePasswordFile,
            server.state.stateClientKey, server.accountOptions.recoveryCodes,
        ] {
            if let file, Self.isReadableByOthers(file) {
                warn("\(file.quotedForMessage): other users of this machine can read it")
            }
        }
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
