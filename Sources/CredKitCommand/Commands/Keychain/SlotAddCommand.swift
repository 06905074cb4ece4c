// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain slot add`: another way to open the vault.
struct SlotAddCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Adds a way to open the vault: a passphrase unless something else is named.",
        discussion: """
            For instance:
              head -c 32 /dev/urandom > key; credkit keychain slot add --new-key-file key

            Prints the new slot's identifier.
            """
    )

    @Option(help: ArgumentHelp("A key of at least 32 random bytes.", valueName: "file"))
    var newKeyFile: FileArgument?

    @Flag(help: "A new key, which the Secret Service keeps.")
    var secretService = false

    @OptionGroup(title: "New passphrase")
    var new: NewPassphraseOptions

    @Option(help: "What people call it. It stands in the file in clear.")
    var name: String?

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: StrayArguments

    func validate() throws {
        guard [newKeyFile != nil, secretService, new.isGiven].filter({ $0 }).count <= 1 else {
            throw ValidationError(
                "Give one of --new-key-file, --secret-service, --new-passphrase-fd and --new-passphrase-file."
            )
        }
        if newKeyFile == nil && !secretService { try new.refuseSharing(options.descriptors) }
    }

    func execute() async throws {
        let vault = try options.vaultStore { $0.usesCachedKey = false }
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
        try StandardStreams.writeLine(slot.identifier)
    }
}
