// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// `credkit hash legacy salted-md5`: the hash that legacy login tables store.
struct SaltedMD5Command: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "salted-md5",
        abstract: "Print the salted MD5 of a password, as legacy login tables store it.",
        discussion: """
            For instance:
              printf secret | credkit hash legacy salted-md5 --salt shop

            For existing tables only: one graphics card tries 10 billion passwords per second against such a hash.
            """
    )

    @Option(help: "The salt. It is not a secret and may be empty.")
    var salt: String

    @Option(help: "Whether the salt follows the password (suffix) or precedes it (prefix).")
    var position = SaltPosition.suffix

    @Option(
        help: ArgumentHelp(
            "The number of rounds. Each one after the first hashes the hexadecimal digits of the previous one.",
            valueName: "n"
        )
    )
    var rounds = 1

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @OptionGroup(title: "Password")
    var passwordOptions: PasswordOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    enum SaltPosition: String, ExpressibleByArgument, CaseIterable {
        case suffix, prefix
    }

    func validate() throws {
        _ = try scheme()
    }

    func run() throws {
        let password = try passwordOptions.read(isNew: true)
        let hash = try scheme().hash(password).hex
        try CommandOutput(json: json).print(["scheme": "salted-md5", "hash": hash], text: hash)
    }

    private func scheme() throws -> Legacy.SaltedMD5 {
        do throws(Legacy.SaltedMD5.RoundsError) {
            return try Legacy.SaltedMD5(
                salt: RawArguments.encode(salt),
                position: position == .suffix ? .suffix : .prefix,
                rounds: rounds
            )
        } catch {
            throw ValidationError("--rounds: \(error).")
        }
    }
}
