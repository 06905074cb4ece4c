// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain export`: writes items to a file.
struct KeychainExportCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export items with their secrets to a new file, encrypted by default.",
        discussion: """
            For instance:
              printf 'correct horse' | credkit keychain export backup.vault

            The archive is a vault with one passphrase: 'import' reads it, and --vault opens it. With --plain-json, \
            the file is a JSON object: format, version, items. Each item has service, account, attributes, label, \
            contentType, and secret (secretBase64 if it is not UTF-8).
            """
    )

    @Argument(help: ArgumentHelp("The file to create; it must not exist.", valueName: "file"))
    var file: FileArgument

    @Option(help: "Export only the items of this service.", completion: NameCompletion.services)
    var service: String?

    @Flag(help: "Write JSON with all secrets unencrypted.")
    var plainJSON = false

    @OptionGroup(title: "Archive")
    var archive: ArchiveOptions

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func validate() throws {
        guard !file.isStandardInput else {
            throw ValidationError("The export requires a file name; - is not allowed.")
        }
        if !plainJSON { try InputSources.check(archive, options) }
    }

    func execute() async throws {
        try PrivateFile.refuseExisting(file)
        let keychain = try await options.keychain()
        var credentials: [Credential] = []
        for item in try await keychain.items(service: service) {
            if let credential = try await keychain.credential(for: item.key) {
                credentials.append(credential)
            }
        }
        if plainJSON {
            try PrivateFile.create(file, CredentialsJSON.encode(credentials))
            StandardStreams.report(
                "\(file.quoted) contains all of these secrets unencrypted; anyone who can read it has them"
            )
        } else {
            let passphrase = try archive.read(isNew: true)
            try PrivateFile.create(file, VaultArchive.encrypt(credentials, passphrase: passphrase))
        }
        StandardStreams.report("exported \(credentials.count) \(credentials.count == 1 ? "item" : "items")")
    }
}
