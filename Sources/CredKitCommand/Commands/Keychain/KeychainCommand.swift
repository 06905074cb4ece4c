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

/// `credkit keychain list`: lists items, without their secrets.
struct KeychainListCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List items without their secrets: service, account, further attributes.",
        discussion: """
            For instance:
              credkit keychain list com.example.app
            """
    )

    @Argument(help: "List only the items of this service.", completion: NameCompletion.services)
    var service: String?

    @Flag(
        help: """
            Print one JSON object per line, for each item: service, account, label, contentType, attributes, created, \
            modified.
            """
    )
    var json = false

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func execute() async throws {
        try ItemListing.show(await options.keychain().items(service: service), json: json)
    }
}

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

/// `credkit keychain rekey`: replaces the vault's key.
struct KeychainRekeyCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "rekey",
        abstract: "Create a new vault key and re-encrypt everything with it, including the backup.",
        discussion: """
            For instance:
              credkit keychain rekey

            Slots whose passphrase or key is not available are dropped and reported.
            """
    )

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func execute() async throws {
        let vault = try options.vaultStore { $0.usesCachedKey = false }
        _ = try await vault.slots()
        SlotListing.reportDropped(try await vault.rekey())
    }
}

/// `credkit keychain search`: lists the items with given attributes.
struct KeychainSearchCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "List the items that have all given attributes, without their secrets.",
        discussion: """
            For instance:
              credkit keychain search username=alice

            'service' and 'username' stand for service and account. The exit status is 1 if no item matches.
            """
    )

    @Argument(help: ArgumentHelp("Attributes, as name=value.", valueName: "name=value"))
    var attributes: [AttributeArgument]

    @Flag(help: "Print one JSON object per line, for each item, with the keys of 'list'.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print nothing; check the exit status.")
    var quiet = false

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    func validate() throws { _ = try AttributeArgument.dictionary(attributes) }

    func execute() async throws {
        let items = try await options.keychain().search(AttributeArgument.dictionary(attributes))
        if !quiet { try ItemListing.show(items, json: json) }
        if items.isEmpty { throw CommandFailure(.no) }
    }
}

/// `credkit keychain delete`: deletes an item.
struct KeychainDeleteCommand: AsyncCommand {
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

    @Flag(name: .shortAndLong, help: "Do not report a missing item; check the exit status.")
    var quiet = false

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func execute() async throws {
        let key = try item.key()
        guard try await options.keychain().delete(key) else {
            throw CommandFailure.missingItem(key, isQuiet: quiet)
        }
    }
}

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
