// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain slot list`: the ways to open the vault.
struct SlotListCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the ways to open the vault: identifier, kind, name. No secret is needed.",
        discussion: """
            For instance:
              credkit keychain slot list
            """
    )

    @Flag(
        help: "Print a JSON object for each slot: identifier, kind, name; memoryKiB, passes of passphrases."
    )
    var json = false

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: StrayArguments

    func execute() async throws {
        try await SlotListing.show(options.vaultStore().slots(), json: json)
    }
}
