// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitClient
import CredKitTerminal

/// `credkit hash timestamp`: what a client of a timestamped login posts, and what its server keeps.
struct TimestampCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "timestamp",
        abstract: "Prints the proof of a timestamped login, or what the server keeps for it.",
        discussion: """
            For instance:
              printf 123456 | credkit hash timestamp --key-phrase itheima \\
                --at '2026-01-02 03:04'

            With --server the time text is the server's, as a login has it: from /hmackey.php, and refused when it is a \
            minute that no clock shows now. The exit status is 69 when the server cannot be reached then, and 77 for a \
            false time.

            A proof that is overheard can be used again during its minute, and lets its finder guess the \
            password: such a login needs TLS all the same.
            """
    )

    @OptionGroup(title: "Key phrase")
    var keyPhraseOptions: KeyPhraseOptions

    @Option(
        help: ArgumentHelp("The server's minute, as yyyy-MM-dd HH:mm.", valueName: "minute"),
        transform: { try LoginMinute($0) }
    )
    var at: LoginMinute?

    @Flag(help: "Take the minute from this machine's clock.")
    var now = false

    @OptionGroup
    var serverOptions: TimeServerOptions

    @Option(
        help: ArgumentHelp(
            "With --now and --server, the server's time zone (default: this machine's; with --server, any).",
            valueName: "id"
        )
    )
    var timeZone: String?

    @Flag(help: "Print what the server keeps in place of the password. It logs in as the password does.")
    var passwordEquivalent = false

    @Flag(help: "Print one JSON object: proof and minute or, of a server, timeText; or passwordEquivalent.")
    var json = false

    @OptionGroup(title: "Password")
    var passwordOptions: PasswordOptions

    @OptionGroup(title: "Connection, with --server")
    var connection: ConnectionOptions

    @OptionGroup
    var strayArguments: StrayArguments

    func validate() throws {
        try keyPhraseOptions.require()
        let ways = [at != nil, now, serverOptions.server != nil, passwordEquivalent].filter { $0 }.count
        guard ways == 1 else {
            throw ValidationError(
                "Give one of --at 'yyyy-MM-dd HH:mm', --now, --server and --password-equivalent."
            )
        }
        guard timeZone == nil || now || serverOptions.server != nil else {
            throw ValidationError("--time-zone goes with --now and --server only.")
        }
        try serverOptions.check(timeZone: timeZone)
        if let timeZone, now { try WallClock.check(timeZone: timeZone) }
        if let source = keyPhraseOptions.descriptor, source == passwordOptions.descriptor {
            throw ValidationError(
                "One input cannot be both the key phrase and the password; give one of them otherwise."
            )
        }
        try passwordOptions.refuseSharing(
            [keyPhraseOptions.descriptor].compactMap { $0 } + connection.descriptors
        )
    }

    func execute() async throws {
        // Before the password is asked for, so that nobody types it in vain.
        let minute = try now ? WallClock.minute(timeZone: timeZone) : at
        let scheme = Legacy.TimestampedLogin(keyPhrase: try keyPhraseOptions.read(raw: passwordOptions.raw))
        let password = try passwordOptions.read(isNew: passwordEquivalent)
        if serverOptions.server != nil {
            // After the password, since it is good for a minute only.
            let text = try await serverOptions.timeText(connection, timeZone: timeZone)
            let proof = scheme.proof(for: password, atTimeText: text).hex
            try write(proof, ["proof": proof, "timeText": text])
        } else if let minute {
            let proof = scheme.proof(for: password, at: minute).hex
            try write(proof, ["proof": proof, "minute": "\(minute)"])
        } else {
            let equivalent = scheme.passwordEquivalent(for: password).hex
            try write(equivalent, ["passwordEquivalent": equivalent])
        }
    }

    private func write(_ line: String, _ members: [String: String]) throws {
        try json ? StandardStreams.write(JSONLine(members).bytes) : StandardStreams.writeLine(line)
    }
}
