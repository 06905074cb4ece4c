// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain passphrase`: changes the vault's passphrase.
struct KeychainPassphraseCommand: KeychainAction {
    static let configuration = CommandConfiguration(
        commandName: "passphrase",
        abstract: "Change the passphrase and the key of the vault.",
        discussion: """
            For instance:
              printf 'correct horse' | credkit keychain passphrase

            Vault and backup are encrypted anew with a new key. Slots whose passphrase or key is not available are \
            dropped and reported.
            """
    )

    @Option(help: ArgumentHelp("The slot whose passphrase to change; see 'slot list'.", valueName: "id"))
    var slot: String?

    @Flag(
        help: """
            Keep the key and all slots. An attacker with an old copy of the file and the old passphrase can then \
            decrypt what is saved later.
            """
    )
    var rewrap = false

    @Flag(help: "Change the key only, and keep the passphrase.")
    var newKey = false

    @OptionGroup(title: "New passphrase")
    var new: NewPassphraseOptions

    @OptionGroup
    var arguments: KeychainArguments

    func validate() throws {
        guard newKey else { return try InputSources.check(new, options) }
        guard slot == nil, !rewrap, !new.isGiven else {
            throw ValidationError(
                "--new-key keeps the passphrase: leave out --slot, --rewrap, --new-passphrase-fd and "
                    + "--new-passphrase-file."
            )
        }
    }

    func execute() async throws {
        // The change requires the passphrase itself or a key: a cached key is not sufficient.
        let vault = try await options.vaultStore { $0.usesCachedKey = false }
        _ = try await vault.slots()
        guard !newKey else { return SlotListing.reportDropped(try await vault.rekey()) }
        // Ask for the old passphrase before the new one.
        try await vault.unlock()
        let passphrase = try new.read()
        SlotListing.reportDropped(
            try await vault.changePassphrase(to: passphrase, slot: slot, rotatingKey: !rewrap)
        )
    }
}
