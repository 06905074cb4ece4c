// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain passphrase`: changes the vault's passphrase.
struct KeychainPassphraseCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "passphrase",
        abstract: "Changes the vault's passphrase, and seals everything under a new key.",
        discussion: """
            For instance:
              printf 'correct horse' | credkit keychain passphrase

            Slots whose passphrase or key is not at hand are dropped, and named.
            """
    )

    @Option(help: ArgumentHelp("Which slot's passphrase; see 'slot list'.", valueName: "id"))
    var slot: String?

    @Flag(
        help: """
            Keep the vault's key and all slots. Whoever has an old copy of the file and knows the old passphrase can \
            then open what is saved from now on.
            """
    )
    var rewrap = false

    @OptionGroup(title: "New passphrase")
    var new: NewPassphraseOptions

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: StrayArguments

    func validate() throws { try new.refuseSharing(options.descriptors) }

    func execute() async throws {
        // Whoever changes it must know it: a key that is kept for a while is not enough.
        let vault = try options.vaultStore { $0.usesCachedKey = false }
        _ = try await vault.slots()
        // The old one is asked for first.
        try await vault.unlock()
        let passphrase = try new.read()
        if rewrap {
            try await vault.rewrapPassphraseKeepingVaultKey(to: passphrase, slot: slot)
        } else {
            SlotListing.reportDropped(try await vault.changePassphrase(to: passphrase, slot: slot))
        }
    }
}
