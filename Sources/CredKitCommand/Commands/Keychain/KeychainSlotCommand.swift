// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain slot`: manages the ways to unlock the vault.
struct KeychainSlotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "slot",
        abstract: "Manage the ways to unlock the vault.",
        subcommands: [SlotListCommand.self, SlotAddCommand.self, SlotRemoveCommand.self]
    )
}

/// `credkit keychain slot list`: lists the ways to unlock the vault.
struct SlotListCommand: KeychainAction {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the ways to unlock the vault.",
        discussion: """
            For instance:
              credkit keychain slot list

            Prints identifier, kind and name, separated by tabs. No secret is needed.
            """
    )

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @OptionGroup
    var arguments: KeychainArguments

    func execute() async throws {
        try await SlotListing.show(options.vaultStore().slots(), json: json)
    }
}

/// `credkit keychain slot add`: adds a way to unlock the vault.
struct SlotAddCommand: KeychainAction {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a way to unlock the vault.",
        discussion: """
            For instance:
              head -c 32 /dev/urandom > key; credkit keychain slot add --new-key-file key

            Adds a passphrase, unless an option says otherwise, and prints the identifier of the slot.
            """
    )

    @Option(help: ArgumentHelp("A file with a key of at least 32 random bytes.", valueName: "file"))
    var newKeyFile: FileArgument?

    @Flag(help: "Create a new key and store it in the Secret Service.")
    var secretService = false

    @OptionGroup(title: "New passphrase")
    var new: NewPassphraseOptions

    @Option(help: "The name of the slot. The file stores it unencrypted.")
    var name: String?

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @OptionGroup
    var arguments: KeychainArguments

    func validate() throws {
        guard [newKeyFile != nil, secretService, new.isGiven].filter({ $0 }).count <= 1 else {
            throw ValidationError(
                "Give only one of --new-key-file, --secret-service, --new-passphrase-fd and "
                    + "--new-passphrase-file."
            )
        }
        if newKeyFile == nil && !secretService { try InputSources.check(new, options) }
    }

    func execute() async throws {
        let vault = try await options.vaultStore { $0.usesCachedKey = false }
        _ = try await vault.slots()
        try await vault.unlock()
        let slot: VaultSlot
        if let newKeyFile {
            let reader = try SecretReader(file: newKeyFile, descriptor: nil, option: "", prompt: "Key: ")
            let key = try reader.readAll(keepsLineFeed: true)
            slot = try await vault.addSlot(.key(key), name: name ?? "key")
        } else if secretService {
            slot = try await vault.addSlot(.store(options.secretService()), name: name ?? "secret-service")
        } else {
            slot = try await vault.addSlot(.passphrase(new.read()), name: name ?? "passphrase")
        }
        try CommandOutput(json: json).print(SlotListing(slot), text: slot.identifier)
    }
}

/// `credkit keychain slot remove`: removes a way to unlock the vault.
struct SlotRemoveCommand: KeychainAction {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a way to unlock the vault.",
        discussion: """
            For instance:
              credkit keychain slot list | tail -n 1 | cut -f 1 > id
              credkit keychain slot remove "$(cat id)"

            The vault is encrypted anew with a new key. Other slots whose passphrase or key is not available are dropped \
            and reported. The last slot cannot be removed.
            """
    )

    @Argument(help: ArgumentHelp("The identifier of the slot; see 'slot list'.", valueName: "id"))
    var identifier: String

    @OptionGroup
    var arguments: KeychainArguments

    func execute() async throws {
        let vault = try await options.vaultStore { $0.usesCachedKey = false }
        SlotListing.reportDropped(try await vault.removeSlot(identifier))
    }
}
