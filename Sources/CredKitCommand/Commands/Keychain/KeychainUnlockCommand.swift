// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain unlock`: opens the keychain for a while.
struct KeychainUnlockCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Unlocks the keychain; of a vault, the key is kept in the kernel's keyring for a time.",
        discussion: """
            For instance:
              credkit keychain unlock --for 15m

            Every process of this user can read the key there until the time is over, or 'credkit keychain lock'.
            """
    )

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long the vault stays open: 90s, 15m, 8h. (default: 15m)", valueName: "time")
    )
    var time: TimeArgument?

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: StrayArguments

    func execute() async throws {
        let keychain = try await options.keychain()
        try await keychain.store.unlock()
        if let vault = keychain.store as? VaultStore {
            try await vault.cacheKey(for: time?.duration ?? .seconds(15 * 60))
        } else if time != nil {
            StandardStreams.report(
                "--for is about the vault; the Secret Service stays open as long as it decides"
            )
        }
    }
}
