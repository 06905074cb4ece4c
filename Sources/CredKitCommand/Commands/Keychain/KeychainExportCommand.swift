// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain export`: writes items to a file.
struct KeychainExportCommand: KeychainAction {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Export items with their secrets to a new file.",
        discussion: """
            For instance:
              printf 'correct horse' | credkit keychain export backup.vault
              credkit keychain export --format keepassxc-csv passwords.csv

            The file is an archive with a passphrase of its own, from standard input: 'import' reads it, and --vault \
            opens it. --plain-json and --format write the secrets unencrypted, except pass, which encrypts them with \
            gpg. What a format does not keep is printed on standard error.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The file to create; with --format pass, a folder with a .gpg-id.",
            valueName: "file"
        )
    )
    var file: FileArgument

    @Option(help: "Only the items of this service.", completion: NameCompletion.services)
    var service: String?

    @Flag(help: "Write JSON (see docs/json.md), unencrypted.")
    var plainJSON = false

    @Option(help: ArgumentHelp("Write for another password manager.", valueName: "format"))
    var format: ExportFormat?

    @Flag(help: "Print what --format does not keep, and write nothing.")
    var dryRun = false

    @OptionGroup(title: "Archive")
    var archive: ArchiveOptions

    @OptionGroup
    var arguments: KeychainArguments

    func validate() throws {
        guard !file.isStandardInput else {
            throw ValidationError("The export requires a file name; - is not allowed.")
        }
        guard format == nil || !plainJSON else {
            throw ValidationError("--format and --plain-json exclude each other.")
        }
        guard format != nil || !dryRun else { throw ValidationError("--dry-run requires --format.") }
        if !plainJSON && format == nil { try InputSources.check(archive, options) }
    }

    func execute() async throws {
        if format != .pass { try PrivateFile.refuseExisting(file) }
        let keychain = try await options.existingKeychain()
        var credentials: [Credential] = []
        var left = 0
        for item in try await keychain.items(service: service) {
            // Other programs have no place for what components keep for themselves, and would show it as passwords.
            let isLeft =
                item.key.isFor(.vaultSlot)
                || format != nil && !item.key.isFor(nil) && !item.key.isFor(.oneTimeCode)
            if isLeft {
                left += 1
            } else if let credential = try await keychain.credential(for: item.key) {
                credentials.append(credential)
            }
        }
        if left > 0 {
            StandardStreams.report(
                "left out \(left) of the items: keys of vaults"
                    + (format == nil ? "" : ", and what sessions, git and docker keep for themselves")
            )
        }
        var count = credentials.count
        if let format {
            count = try write(credentials, as: format)
            if dryRun { return }
        } else if plainJSON {
            try PrivateFile.create(file, CredentialsJSON.encode(credentials))
            warn()
        } else {
            let passphrase = try archive.read(isNew: true)
            try PrivateFile.create(file, VaultArchive.encrypt(credentials, passphrase: passphrase))
        }
        StandardStreams.report("exported \(count) \(count == 1 ? "item" : "items")")
    }

    private func warn() {
        StandardStreams.report(
            "\(file.quoted) contains all of these secrets unencrypted; anyone who can read it has them"
        )
    }

    /// Returns how many items were written with their secrets.
    private func write(_ credentials: [Credential], as format: ExportFormat) throws -> Int {
        switch format {
        case .pass:
            guard let path = String(validating: file.bytes, as: UTF8.self) else {
                throw CommandFailure(.cannotCreate, "\(file.quoted): the name of the folder is not UTF-8")
            }
            let folder = try PassFolder(path: path, prompts: !options.noPrompt)
            let losses = try dryRun ? folder.losses(writing: credentials) : folder.write(credentials)
            TransferNotice.show(losses)
            return credentials.count
        case .file(let format):
            let (document, losses, count) = try PasswordFile.write(credentials, as: format)
            TransferNotice.show(losses)
            guard !dryRun else { return count }
            try PrivateFile.create(file, document)
            warn()
            return count
        }
    }
}

/// A format of another program that an export is written in.
enum ExportFormat: ExpressibleByArgument, CaseIterable, Equatable {
    case pass
    case file(PasswordFile.Format)

    static let allCases = [pass] + PasswordFile.Format.allCases.map { file($0) }
    static let allValueStrings = allCases.map(\.name)

    var name: String {
        switch self {
        case .pass: "pass"
        case .file(let format): format.rawValue
        }
    }

    init?(argument: String) {
        guard let format = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = format
    }
}

/// The options that name the source of an archive's passphrase: a descriptor, a file, otherwise standard input, without
/// echo on a terminal.
struct ArchiveOptions: ParsableArguments, InputSource {
    @Option(help: ArgumentHelp("A file descriptor to read its passphrase from.", valueName: "n"))
    var archivePassphraseFD: Int32?

    @Option(
        help: ArgumentHelp("A file that contains its passphrase; - is standard input.", valueName: "file")
    )
    var archivePassphraseFile: FileArgument?

    private func source(prompt: String = "") -> SecretSource {
        SecretSource(
            "archive-passphrase",
            descriptor: archivePassphraseFD,
            file: archivePassphraseFile,
            prompt: prompt
        )
    }

    func validate() throws { try source().validate() }

    /// The descriptor that the passphrase is read from, if its number is known.
    var descriptors: [Int32] { [source().descriptor].compactMap { $0 } }

    /// Reads the passphrase of an archive, or of what else is read as one is.
    func read(isNew: Bool, of name: String = "archive") throws -> SecretBytes {
        try source(prompt: isNew ? "New passphrase of the \(name): " : "Passphrase of the \(name): ")
            .read(isNew: isNew)
    }
}
