// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain slot remove`: removes a way to unlock the vault.
struct SlotRemoveCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a way to unlock the vault and re-encrypt everything with a new key.",
        discussion: """
            For instance:
              credkit keychain slot list | tail -n 1 | cut -f 1 > id
              credkit keychain slot remove "$(cat id)"

            Other slots whose passphrase or key is not available are dropped and reported. The last slot cannot be \
            removed.
            """
    )

    @Argument(help: ArgumentHelp("The identifier of the slot; see 'slot list'.", valueName: "id"))
    var identifier: String

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func execute() async throws {
        let vault = try options.vaultStore { $0.usesCachedKey = false }
        SlotListing.reportDropped(try await vault.removeSlot(identifier))
    }
}
