// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit

/// `credkit hash timestamp`: what a client of a timestamped login posts, and what its server keeps.
struct TimestampCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timestamp",
        abstract: "Prints the proof of a timestamped login, or what the server keeps for it.",
        discussion: """
            For instance:
              printf 123456 | credkit hash timestamp --key itheima --at '2026-01-02 03:04'

            A proof that is overheard can be used again during its minute, and lets its finder guess the \
            password: such a login needs TLS all the same.
            """
    )

    @OptionGroup(title: "Key phrase")
    var keyOptions: KeyOptions

    @Option(
        help: ArgumentHelp("The server's minute, as yyyy-MM-dd HH:mm.", valueName: "minute"),
        transform: { try LoginMinute($0) }
    )
    var at: LoginMinute?

    @Flag(help: "Take the minute from this machine's clock.")
    var now = false

    @Option(
        help: ArgumentHelp("With --now, the server's time zone (default: this machine's).", valueName: "id")
    )
    var timeZone: String?

    @Flag(help: "Print what the server keeps in place of the password. It logs in as the password does.")
    var passwordEquivalent = false

    @Flag(help: "Print one JSON object: proof and minute, or passwordEquivalent.")
    var json = false

    @OptionGroup(title: "Password")
    var passwordOptions: PasswordOptions

    @OptionGroup
    var strayArguments: StrayArguments

    func validate() throws {
        let ways = [at != nil, now, passwordEquivalent].filter { $0 }.count
        guard ways == 1 else {
            throw ValidationError("Give one of --at 'yyyy-MM-dd HH:mm', --now and --password-equivalent.")
        }
        guard timeZone == nil || now else { throw ValidationError("--time-zone goes with --now only.") }
        if let timeZone { try WallClock.check(timeZone: timeZone) }
        if let source = keyOptions.descriptor, source == passwordOptions.descriptor {
            throw ValidationError(
                "One input cannot be both the key and the password; give one of them otherwise."
            )
        }
    }

    func run() throws {
        // Before the password is asked for, so that nobody types it in vain.
        let minute = try now ? WallClock.minute(timeZone: timeZone) : at
        let scheme = Legacy.TimestampedLogin(keyPhrase: try keyOptions.readText(raw: passwordOptions.raw))
        let password = try passwordOptions.read(isNew: passwordEquivalent)
        if let minute {
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
