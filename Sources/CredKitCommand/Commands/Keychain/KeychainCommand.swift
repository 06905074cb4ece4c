// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `credkit keychain`: passwords and other secrets of this user.
struct KeychainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keychain",
        abstract: "Keeps passwords and other secrets of this user.",
        discussion: """
            They are kept by the desktop's Secret Service, or in an encrypted file, the vault, where there is none. \
            For instance:
              printf s3cret | credkit keychain set com.example.app alice
              credkit keychain get com.example.app alice

            The exit status is 1 when there is no such item, 65 for what is damaged, an older copy, or means several \
            items, 69 when there is no session bus or no Secret Service or it does not answer, 73 when something is \
            there already, 75 when another program holds the lock, 77 for a wrong or missing passphrase, a locked \
            keyring, or a file that others can change. 'credkit keychain doctor' says what is the matter.

            The vault is opened by --key-file, else by the passphrase of --passphrase-fd, --passphrase-file or \
            --passphrase-command, the systemd credentials credkit.key and credkit.passphrase, $CREDKIT_PASSPHRASE, or \
            at the terminal, in this order.
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
