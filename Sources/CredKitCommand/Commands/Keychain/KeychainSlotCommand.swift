// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `credkit keychain slot`: manages the ways to unlock the vault.
struct KeychainSlotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "slot",
        abstract: "Manage the ways to unlock the vault: passphrases, keys, a key in the Secret Service.",
        subcommands: [SlotListCommand.self, SlotAddCommand.self, SlotRemoveCommand.self]
    )
}
