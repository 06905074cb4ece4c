// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain unlock`: unlocks the keychain for a limited time.
struct KeychainUnlockCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract:
            "Unlock the keychain. The key of a vault is cached in the kernel keyring for a limited time.",
        discussion: """
            For instance:
              credkit keychain unlock --for 15m

            Every process of this user can read the cached key until the time expires or 'credkit keychain lock' runs.
            """
    )

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "How long the vault stays unlocked: 90s, 15m, 8h. (default: 15m)",
            valueName: "time"
        )
    )
    var time: TimeArgument?

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func execute() async throws {
        let keychain = try await options.keychain()
        try await keychain.store.unlock()
        if let vault = keychain.store as? VaultStore {
            try await vault.cacheKey(for: time?.duration ?? .seconds(15 * 60))
        } else if time != nil {
            StandardStreams.report(
                "--for is ignored: the Secret Service itself decides how long it stays unlocked"
            )
        }
    }
}
