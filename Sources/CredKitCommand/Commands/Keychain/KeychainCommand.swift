// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `credkit keychain`: stores and retrieves the user's passwords and other secrets.
struct KeychainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keychain",
        abstract: "Store and retrieve passwords and other secrets.",
        discussion: """
            Secrets are stored by the desktop's Secret Service or, if there is none, in an encrypted file, the vault.
            For instance:
              printf s3cret | credkit keychain set com.example.app alice
              credkit keychain get com.example.app alice

            The exit status is 1 when there is no such item; 65 for damaged data, an older copy, or when several items \
            match; 69 when there is no session bus or no Secret Service, or it does not answer; 73 when a file or item \
            exists already; 75 when another program holds the lock; 77 for a wrong or missing passphrase, a locked \
            keyring, or a file that others can change. 'credkit keychain doctor' diagnoses problems.

            The vault is unlocked with --vault-key-file, otherwise with the passphrase of --passphrase-fd, --passphrase-file \
            or --passphrase-command, the systemd credentials credkit.key and credkit.passphrase, $CREDKIT_PASSPHRASE, \
            or the terminal, in this order.
            """,
        subcommands: [
            KeychainSetCommand.self, KeychainGetCommand.self, KeychainListCommand.self,
            KeychainSearchCommand.self, KeychainMoveCommand.self, KeychainExportCommand.self,
            KeychainImportCommand.self, KeychainDeleteCommand.self, KeychainUnlockCommand.self,
            KeychainLockCommand.self, KeychainVerifyCommand.self, KeychainRepairCommand.self,
            KeychainRekeyCommand.self, KeychainSlotCommand.self, KeychainPassphraseCommand.self,
            KeychainDoctorCommand.self,
        ]
    )
}
