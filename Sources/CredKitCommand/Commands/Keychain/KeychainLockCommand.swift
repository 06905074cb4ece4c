// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain lock`: locks the keychain again.
struct KeychainLockCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract:
            "Locks the keychain: takes the vault's key out of the kernel's keyring, or locks the collection.",
        discussion: """
            For instance:
              credkit keychain lock
            """
    )

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: StrayArguments

    func execute() async throws {
        let keychain = try await options.keychain()
        if let vault = keychain.store as? VaultStore {
            try await vault.forgetCachedKey()
        } else {
            try await keychain.store.lock()
        }
    }
}
