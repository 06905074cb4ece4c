// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain slot list`: lists the ways to unlock the vault.
struct SlotListCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the ways to unlock the vault: identifier, kind, name. No secret is needed.",
        discussion: """
            For instance:
              credkit keychain slot list
            """
    )

    @Flag(
        help:
            "Print one JSON object per slot: identifier, kind, name; for a passphrase also memoryKiB, passes."
    )
    var json = false

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func execute() async throws {
        try await SlotListing.show(options.vaultStore().slots(), json: json)
    }
}
