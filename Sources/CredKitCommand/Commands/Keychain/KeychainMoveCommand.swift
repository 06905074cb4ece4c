// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain move`: from one store to another.
struct KeychainMoveCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Moves items from one store to another: all of them, or none.",
        discussion: """
            For instance:
              credkit keychain move --keep --from vault --to ./copy.vault com.example.app

            A store is secret-service, vault, or the path of a vault, with a slash in it; one that is not there is \
            created. All items are read back from the new place before they are deleted from the old one.
            """
    )

    @Option(help: ArgumentHelp("Where the items are.", valueName: "store"))
    var from: String

    @Option(help: ArgumentHelp("Where they go.", valueName: "store"))
    var to: String

    @Argument(help: "The service whose items are moved; all items without it.")
    var service: String?

    @Flag(help: "Leave the items where they are as well.")
    var keep = false

    @Flag(help: "Print a JSON object for each item, on a line of its own, with the keys of 'list'.")
    var json = false

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: StrayArguments

    func validate() throws {
        for name in [from, to] {
            guard ["secret-service", "vault"].contains(name) || name.contains("/") else {
                throw ValidationError("A store is secret-service, vault, or a path with a slash in it.")
            }
        }
        guard from != to else { throw ValidationError("--from and --to are the same store.") }
    }

    func execute() async throws {
        // Read once, for both.
        let configuration = try options.vaultConfiguration()
        let moved = try await Keychain.move(
            service: service,
            from: store(from, configuration),
            to: store(to, configuration),
            keepsSource: keep
        )
        try ItemListing.show(moved, json: json)
    }

    private func store(_ name: String, _ standard: VaultConfiguration) throws -> any CredentialStore {
        if name == "secret-service" { return options.secretService() }
        var configuration = standard
        if name != "vault" { configuration.path = KeychainSettings.absolute(name) }
        return try VaultStore(configuration)
    }
}
