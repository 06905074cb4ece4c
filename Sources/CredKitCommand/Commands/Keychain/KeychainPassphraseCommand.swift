// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain passphrase`: changes the vault's passphrase.
struct KeychainPassphraseCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "passphrase",
        abstract: "Change the vault's passphrase and re-encrypt everything with a new key.",
        discussion: """
            For instance:
              printf 'correct horse' | credkit keychain passphrase

            Slots whose passphrase or key is not available are dropped and reported.
            """
    )

    @Option(help: ArgumentHelp("The slot whose passphrase to change; see 'slot list'.", valueName: "id"))
    var slot: String?

    @Flag(
        help: """
            Keep the vault's key and all slots. An attacker who has an old copy of the file and knows the old \
            passphrase can then decrypt everything that is saved from now on.
            """
    )
    var rewrap = false

    @OptionGroup(title: "New passphrase")
    var new: NewPassphraseOptions

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func validate() throws { try InputSources.check(new, options) }

    func execute() async throws {
        // The change requires the passphrase itself or a key: a cached key is not sufficient.
        let vault = try options.vaultStore { $0.usesCachedKey = false }
        _ = try await vault.slots()
        // Ask for the old passphrase before the new one.
        try await vault.unlock()
        let passphrase = try new.read()
        SlotListing.reportDropped(
            try await vault.changePassphrase(to: passphrase, slot: slot, rotatingKey: !rewrap)
        )
    }
}
