// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitClient
import CredKitTerminal

/// `credkit hash legacy timestamp`: the proof that a client of a timestamped login posts, or the value that its server stores.
struct TimestampCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "timestamp",
        abstract: "Print the proof of a timestamped login, or the value that the server stores for it.",
        discussion: """
            For instance:
              printf 123456 | credkit hash legacy timestamp --key-phrase itheima \\
                --at '2026-01-02 03:04'

            An observer of a proof can replay it during its minute, and guess the password offline: use TLS, too.
            """
    )

    @OptionGroup(title: "Key phrase")
    var keyPhraseOptions: KeyPhraseOptions

    @Option(
        help: ArgumentHelp("The server's minute, as yyyy-MM-dd HH:mm.", valueName: "minute"),
        transform: { try Legacy.TimestampedLogin.Minute($0) }
    )
    var at: Legacy.TimestampedLogin.Minute?

    @Flag(help: "Take the minute from this machine's clock.")
    var now = false

    @OptionGroup(title: "Server")
    var serverOptions: TimeServerOptions

    @Option(
        help: ArgumentHelp(
            "With --now or --server, the server's time zone (default: this machine's; with --server, any).",
            valueName: "id"
        )
    )
    var timeZone: String?

    @Flag(help: "Print the value that the server stores, as secret as the password.")
    var passwordEquivalent = false

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @OptionGroup(title: "Password")
    var passwordOptions: PasswordOptions

    @OptionGroup(title: "Connection")
    var connection: ConnectionOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func validate() throws {
        try keyPhraseOptions.require()
        let ways = [at != nil, now, serverOptions.server != nil, passwordEquivalent].filter { $0 }.count
        guard ways == 1 else {
            throw ValidationError(
                "Give exactly one of --at 'yyyy-MM-dd HH:mm', --now, --server and --password-equivalent."
            )
        }
        guard timeZone == nil || now || serverOptions.server != nil else {
            throw ValidationError("--time-zone is valid only with --now or --server.")
        }
        try serverOptions.check(timeZone: timeZone)
        if let timeZone, now { try WallClock.check(timeZone: timeZone) }
        try InputSources.check(passwordOptions, keyPhraseOptions, connection)
    }

    func execute() async throws {
        // Fail before the prompt, so that the user does not type the password in vain.
        let minute = try now ? WallClock.minute(timeZone: timeZone) : at
        let scheme = Legacy.TimestampedLogin(keyPhrase: try keyPhraseOptions.read(raw: passwordOptions.raw))
        let password = try passwordOptions.read(isNew: passwordEquivalent)
        if serverOptions.server != nil {
            // Fetched after the prompt, because a challenge is valid for only a minute.
            let text = try await serverOptions.challenge(connection, timeZone: timeZone)
            let proof = scheme.proof(for: password, challenge: text).hex
            try write(proof, ["proof": proof, "challenge": text])
        } else if let minute {
            let proof = scheme.proof(for: password, at: minute).hex
            try write(proof, ["proof": proof, "minute": "\(minute)"])
        } else {
            let equivalent = scheme.passwordEquivalent(for: password).hex
            try write(equivalent, ["passwordEquivalent": equivalent])
        }
    }

    private func write(_ line: String, _ members: [String: String]) throws {
        try CommandOutput(json: json).print(members, text: line)
    }
}
