// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

@testable import CredKitCommand

/// The commands of `credkit` and their help, made in this process: sixty processes would take seconds.
struct CommandTree {
    /// The help texts, by command without `credkit`: `keychain slot list`. The root is an empty text.
    private(set) var help: [String: String] = [:]
    /// What `--help` prints of them: without the explanations that are left to topics.
    var pages: [String: String] { help.mapValues { HelpPage.shortened(String($0.dropLast())) + "\n" } }
    /// The same commands, in the order of the help.
    private(set) var commands: [String] = []

    static let shared = CommandTree()

    private init() { add(CredKitCommand.self, "") }

    private mutating func add(_ type: any ParsableCommand.Type, _ command: String) {
        help[command] = CredKitCommand.helpMessage(for: type, columns: 80) + "\n"
        commands.append(command)
        for subcommand in type.configuration.subcommands {
            guard let name = subcommand.configuration.commandName else { continue }
            add(subcommand, command.isEmpty ? name : "\(command) \(name)")
        }
    }
}
