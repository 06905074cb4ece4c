// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain rekey`: a new key for the vault.
struct KeychainRekeyCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Makes a new key for the vault and seals everything under it, the backup too.",
        discussion: """
            For instance:
              credkit keychain rekey

            Slots whose passphrase or key is not at hand are dropped, and named.
            """
    )

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: StrayArguments

    func execute() async throws {
        let vault = try options.vaultStore { $0.usesCachedKey = false }
        _ = try await vault.slots()
        SlotListing.reportDropped(try await vault.rekey())
    }
}
