// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `credkit blocklist`: the commands on lists of rejected passwords.
struct BlocklistCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "blocklist",
        abstract: "Manage lists of passwords that must not be used.",
        discussion: "No password leaves this computer.",
        subcommands: [BlocklistBuildCommand.self, BlocklistCheckCommand.self]
    )
}
