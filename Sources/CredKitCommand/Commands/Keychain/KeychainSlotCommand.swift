// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `credkit keychain slot`: the ways to open the vault.
struct KeychainSlotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "slot",
        abstract: "The ways to open the vault: passphrases, keys, a key in the Secret Service.",
        subcommands: [SlotListCommand.self, SlotAddCommand.self, SlotRemoveCommand.self]
    )
}
