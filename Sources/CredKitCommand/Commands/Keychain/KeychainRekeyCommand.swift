// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain rekey`: replaces the vault's key.
struct KeychainRekeyCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Create a new vault key and re-encrypt everything with it, including the backup.",
        discussion: """
            For instance:
              credkit keychain rekey

            Slots whose passphrase or key is not available are dropped and reported.
            """
    )

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func execute() async throws {
        let vault = try options.vaultStore { $0.usesCachedKey = false }
        _ = try await vault.slots()
        SlotListing.reportDropped(try await vault.rekey())
    }
}
