// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain set`: stores a secret.
struct KeychainSetCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Store a secret, replacing one with the same service and account.",
        discussion: """
            For instance:
              printf s3cret | credkit keychain set com.example.app alice

            On a terminal, the prompt asks for the secret twice. Storing the first secret creates the vault.
            """
    )

    @OptionGroup
    var item: ItemArguments

    @Option(help: "The label that keyring programs show for the item.")
    var label: String?

    @Option(help: ArgumentHelp("The content type of the secret.", valueName: "type"))
    var contentType = "text/plain"

    @OptionGroup(title: "Secret")
    var passwordOptions: PasswordOptions

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func validate() throws { try InputSources.check(passwordOptions, options) }

    func execute() async throws {
        let keychain = try await options.keychain()
        let item = CredentialItem(key: try item.key(), label: label, contentType: contentType)
        try await keychain.set(Credential(item: item, secret: passwordOptions.read(isNew: true)))
    }
}
