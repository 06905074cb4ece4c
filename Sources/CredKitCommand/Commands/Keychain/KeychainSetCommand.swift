// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain set`: stores a secret.
struct KeychainSetCommand: KeychainAction {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Store a secret under a service and an account.",
        discussion: """
            For instance:
              printf s3cret | credkit keychain set com.example.app bob

            The secret comes from standard input; on a terminal, a prompt asks for it twice. An existing one is replaced \
            only with --replace; otherwise the exit status is 73. The first secret creates the vault.
            """
    )

    @OptionGroup
    var item: ItemArguments

    @Flag(help: "Replace an existing secret.")
    var replace = false

    @Option(help: "The label that keyring programs show.")
    var label: String?

    @Option(help: ArgumentHelp("The content type of the secret.", valueName: "type"))
    var contentType = "text/plain"

    @OptionGroup(title: "Password")
    var passwordOptions: PasswordOptions

    @OptionGroup
    var arguments: KeychainArguments

    func validate() throws { try InputSources.check(passwordOptions, options) }

    func execute() async throws {
        let keychain = try await options.keychain()
        let key = try item.key()
        // Fail before the prompt, so that the user does not type the password in vain.
        if !replace { try await keychain.refuseReplacing(key) }
        let secret = try passwordOptions.read(
            isNew: true,
            prompt: "Password for \(ShellQuoting.escapingUnprintable(item.name)): "
        )
        let item = CredentialItem(key: key, label: label, contentType: contentType)
        let lock = try await options.storingLock(.storing)
        if !replace { try await keychain.refuseReplacing(key) }
        try await keychain.set(Credential(item: item, secret: secret))
        lock?.release()
    }
}
