// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain`: stores and retrieves the user's passwords and other secrets.
struct KeychainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keychain",
        abstract: "Store and retrieve passwords and other secrets.",
        discussion: """
            For instance:
              printf s3cret | credkit keychain set com.example.app alice
              credkit keychain get com.example.app alice

            Secrets are stored by the desktop's Secret Service or, if there is none, in an encrypted file, the vault. \
            'credkit keychain doctor' diagnoses problems; 'credkit help keychain-options' says how a vault is unlocked.
            """,
        subcommands: [
            KeychainSetCommand.self, KeychainGetCommand.self, KeychainListCommand.self,
            KeychainDeleteCommand.self, KeychainUnlockCommand.self, KeychainLockCommand.self,
            KeychainDoctorCommand.self, KeychainExportCommand.self, KeychainImportCommand.self,
            KeychainMoveCommand.self, KeychainPassphraseCommand.self, KeychainSlotCommand.self,
        ]
    )
}

/// `credkit keychain lock`: locks the keychain.
struct KeychainLockCommand: KeychainAction {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Lock the keychain.",
        discussion: """
            For instance:
              credkit keychain lock

            The vault's key is removed from the kernel keyring, or the collection of the Secret Service is locked.
            """
    )

    @OptionGroup
    var arguments: KeychainArguments

    func execute() async throws {
        let keychain = try await options.keychain()
        if let vault = keychain.store as? VaultStore {
            try await vault.forgetCachedKey()
        } else {
            try await keychain.store.lock()
        }
    }
}

/// `credkit keychain delete`: deletes an item.
struct KeychainDeleteCommand: KeychainAction {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a secret.",
        discussion: """
            For instance:
              credkit keychain delete com.example.app alice

            The exit status is 1 if there is no such item.
            """
    )

    @OptionGroup
    var item: ItemArguments

    @Flag(name: .shortAndLong, help: "Do not report a missing item.")
    var quiet = false

    @OptionGroup
    var arguments: KeychainArguments

    func execute() async throws {
        let key = try item.key()
        let keychain = try await options.existingKeychain()
        guard try await keychain.delete(key) else {
            throw await CommandFailure.missingItem(key, in: keychain, isQuiet: quiet)
        }
    }
}

/// `credkit keychain unlock`: unlocks the keychain for a limited time.
struct KeychainUnlockCommand: KeychainAction {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Unlock the keychain for a limited time.",
        discussion: """
            For instance:
              credkit keychain unlock --for 15m

            The key of a vault is cached in the kernel keyring, where every process of this user can read it, until the \
            time expires or 'credkit keychain lock' runs.
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

    @OptionGroup
    var arguments: KeychainArguments

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
