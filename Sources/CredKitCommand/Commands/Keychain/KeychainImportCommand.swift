// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain import`: items from a file.
struct KeychainImportCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Stores the items of a file that 'export' wrote: all of them, or none.",
        discussion: """
            For instance:
              printf 'correct horse' | credkit keychain import backup.vault

            Takes archives, other vaults, JSON, and the files in which libsecret and oo7 keep secrets without a service \
            (~/.local/share/keyrings/default.keyring), whose password is given like an archive's passphrase. Items \
            that are there already with the same secret are skipped. \
            Items of the Secret Service come over with 'move --from secret-service --to vault'.
            """
    )

    @Argument(help: ArgumentHelp("The file.", valueName: "file"))
    var file: FileArgument

    @Flag(help: "Replace items that are there already with another secret, instead of refusing everything.")
    var replace = false

    @OptionGroup(title: "Archive")
    var archive: ArchiveOptions

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: StrayArguments

    func validate() throws {
        guard !file.isStandardInput else { throw ValidationError("The import comes from a file.") }
        try archive.refuseSharing(options.descriptors)
    }

    func execute() async throws {
        let credentials = try ImportFile(file).credentials { try archive.read(isNew: false) }
        let store = try await options.keychain()
        var changes: [CredentialChange] = []
        for credential in credentials {
            let key = credential.item.key
            if let existing = try await store.credential(for: key), existing.item.key.isSame(as: key) {
                if existing.secret == credential.secret { continue }
                guard replace else {
                    let name = ShellQuoting.escapingUnprintable("\(key)")
                    throw CommandFailure(
                        .cannotCreate,
                        "\(name) is there already, with another secret; nothing was imported. --replace replaces it"
                    )
                }
            }
            changes.append(.set(credential))
        }
        try await store.update(changes)
        let skipped = credentials.count - changes.count
        let items = changes.count == 1 ? "item" : "items"
        let rest = skipped == 0 ? "" : "; \(skipped) there already"
        StandardStreams.report("imported \(changes.count) \(items)\(rest)")
    }
}
