// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain import`: stores the items of a file.
struct KeychainImportCommand: KeychainAction {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import items of a file, or of another password manager.",
        discussion: """
            For instance:
              printf 'correct horse' | credkit keychain import backup.vault
              credkit keychain import --dry-run passwords.csv

            Reads archives and JSON that 'export' wrote, other vaults, the keyring files of libsecret and oo7 (with their \
            password as the passphrase), the unencrypted exports of KeePass, KeePassXC, Bitwarden, 1Password, LastPass, \
            Apple Passwords, Dashlane, Proton Pass, Chromium and Firefox, and the folder of pass or gopass.

            A database of KeePass or KeePassXC (.kdbx) is opened with its password as the passphrase, its --key-file, or both.

            All items are stored, or none; those that exist with the same secret are skipped. What is not kept is printed \
            on standard error first. The exit status is 1 if some entries, or their one-time codes, could not be read.
            """
    )

    @Argument(help: ArgumentHelp("The file or folder to import.", valueName: "file"))
    var file: FileArgument

    @Flag(help: "Replace items that exist with another secret.")
    var replace = false

    @Flag(help: "Also import what git, docker and sessions use unasked, of JSON that you exported yourself.")
    var trusted = false

    @Flag(help: "Print the items and what is not kept, and import nothing.")
    var dryRun = false

    @OptionGroup(title: "Archive")
    var archive: ArchiveOptions

    @Option(
        help: ArgumentHelp(
            "The key file of a KeePass database. An empty passphrase is tried as none first.",
            valueName: "file"
        )
    )
    var keyFile: FileArgument?

    @OptionGroup
    var arguments: KeychainArguments

    func validate() throws {
        guard !file.isStandardInput else {
            throw ValidationError("The import requires a file name; - is not allowed.")
        }
        try InputSources.check(archive, options, others: [keyFile?.descriptor])
    }

    func execute() async throws {
        var source = try ImportFile(file)
        guard keyFile == nil || source.isDatabase else {
            throw CommandFailure(.usage, "\(file.quoted): --key-file is for databases of KeePass only")
        }
        let name = source.isDatabase ? "database" : "archive"
        var contents = try source.contents(
            keyFile: keyFile.map { try Self.read(keyFile: $0) },
            allowsCostlyKeyDerivation: options.allowCostly,
            timeout: options.timeout?.duration,
            prompts: !options.noPrompt
        ) {
            try archive.read(isNew: false, of: name)
        }
        let all = contents.credentials.count
        // Such a file says what it likes, and could be said to be an export of another program.
        if (source.isUnencrypted || source.isDatabase) && !trusted {
            contents.credentials.removeAll { $0.item.isUsedUnasked }
        }
        let untrusted = all - contents.credentials.count
        let store = try await options.keychain()
        let added = try await missing(contents.credentials, in: store)
        TransferNotice.show(contents.losses, unlistedCount: contents.unlistedLossCount)
        let left = contents.credentials.count { $0.item.key.isFor(.vaultSlot) }
        if left > 0 {
            StandardStreams.report("left out \(left) of the items: keys of vaults are not imported")
        }
        // A vault keeps the times.
        if !(store.store is VaultStore) {
            LossNotice.show(try await Keychain.losses(moving: added, to: store.store))
        }
        if dryRun {
            try ItemListing.show(added.map(\.item), json: false)
        } else {
            try await store.store(added)
            let skipped = contents.credentials.count - added.count - left
            let items = added.count == 1 ? "item" : "items"
            let rest = skipped == 0 ? "" : ", skipped \(skipped)"
            StandardStreams.report("imported \(added.count) \(items)\(rest)")
            if source.isUnencrypted {
                StandardStreams.report(
                    "\(file.quoted) still contains these secrets unencrypted: delete it once you no longer need it"
                )
            }
        }
        if untrusted > 0 {
            StandardStreams.report(
                "left out \(untrusted) \(untrusted == 1 ? "item" : "items") that other programs would use without asking; --trusted imports "
                    + "them, if you exported the file yourself"
            )
        }
        let failures = contents.failureCount + untrusted
        guard failures == 0 else {
            throw CommandFailure(
                .no,
                "\(failures) \(failures == 1 ? "entry" : "entries") could not be imported completely"
            )
        }
    }

    private static func read(keyFile: FileArgument) throws -> SecretBytes {
        try SecretSource("key", descriptor: nil, file: keyFile, alternative: .elsewhere, prompt: "")
            .read(keepsLineFeed: true)
    }

    private func missing(_ credentials: [Credential], in store: Keychain) async throws -> [Credential] {
        do throws(KeychainError) {
            return try await store.missing(credentials, replacing: replace)
        } catch {
            guard error == .alreadyExists else { throw error }
            throw CommandFailure(
                .cannotCreate,
                ShellQuoting.escapingUnprintable("\(error); nothing was imported (--replace replaces it)")
            )
        }
    }
}
