// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain lock`: locks the keychain.
struct KeychainLockCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract:
            "Lock the keychain: remove the vault's key from the kernel keyring, or lock the collection.",
        discussion: """
            For instance:
              credkit keychain lock
            """
    )

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func execute() async throws {
        let keychain = try await options.keychain()
        if let vault = keychain.store as? VaultStore {
            try await vault.forgetCachedKey()
        } else {
            try await keychain.store.lock()
        }
    }
}
