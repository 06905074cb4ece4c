// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain import`: stores the items of a file.
struct KeychainImportCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import the items of a file that 'export' wrote: all of them, or none.",
        discussion: """
            For instance:
              printf 'correct horse' | credkit keychain import backup.vault

            Accepts archives, other vaults, JSON, and the files in which libsecret and oo7 store secrets without a \
            Secret Service (~/.local/share/keyrings/default.keyring); give the password of such a file like an \
            archive's passphrase. An archive may cost 128 MiB and about a second; --allow-costly \
            allows more. Items that already exist with the same secret are skipped. \
            To transfer items of the Secret Service, use 'move --from secret-service --to vault'.
            """
    )

    @Argument(help: ArgumentHelp("The file to import.", valueName: "file"))
    var file: FileArgument

    @Flag(help: "Replace items that already exist with another secret, instead of importing nothing.")
    var replace = false

    @OptionGroup(title: "Archive")
    var archive: ArchiveOptions

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func validate() throws {
        guard !file.isStandardInput else {
            throw ValidationError("The import requires a file name; - is not allowed.")
        }
        try InputSources.check(archive, options)
    }

    func execute() async throws {
        let credentials = try ImportFile(file).credentials(
            allowsCostlyKeyDerivation: options.allowCostly,
            timeout: options.timeout?.duration
        ) {
            try archive.read(isNew: false)
        }
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
                        "\(name) already exists with another secret; nothing was imported (--replace replaces it)"
                    )
                }
            }
            changes.append(.set(credential))
        }
        try await store.update(changes)
        let skipped = credentials.count - changes.count
        let items = changes.count == 1 ? "item" : "items"
        let rest = skipped == 0 ? "" : ", skipped \(skipped)"
        StandardStreams.report("imported \(changes.count) \(items)\(rest)")
    }
}
