// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain move`: moves items from one store to another.
struct KeychainMoveCommand: KeychainAction {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Move items from one store to another.",
        discussion: """
            For instance:
              credkit keychain move --keep --from vault --to ./copy.vault com.example.app

            A store is secret-service, vault, or the path of a vault, with a slash in it. A vault that does not exist \
            is created. All items are moved, or none; a move that was interrupted is resumed by moving again. What the \
            target cannot keep is printed on standard error before anything is stored.
            """
    )

    @Option(help: ArgumentHelp("The store to move items from.", valueName: "store"))
    var from: String

    @Option(help: ArgumentHelp("The store to move items to.", valueName: "store"))
    var to: String

    @Argument(help: "Only the items of this service.", completion: NameCompletion.services)
    var service: String?

    @Flag(help: "Keep the items in the source, too.")
    var keep = false

    @Flag(help: "Print the items, and move none.")
    var dryRun = false

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @OptionGroup
    var arguments: KeychainArguments

    func validate() throws {
        for name in [from, to] {
            guard ["secret-service", "vault"].contains(name) || name.utf8.contains(UInt8(ascii: "/")) else {
                throw ValidationError("A store is secret-service, vault, or a path with a slash in it.")
            }
        }
        guard !from.utf8.elementsEqual(to.utf8) else {
            throw ValidationError("--from and --to are the same store.")
        }
    }

    func execute() async throws {
        // Read only once, for both stores.
        let configuration = try options.vaultConfiguration()
        let source = try store(from, configuration)
        if from != "vault" || options.vault != nil, let vault = source as? VaultStore {
            try await KeychainSettings.require(vault)
        }
        let target = try store(to, configuration)
        let kept = try await source.items(service: service).count { $0.key.isFor(.vaultSlot) }
        if kept > 0 {
            StandardStreams.report("\(kept) of the items are keys of vaults, and stay where they are")
        }
        let items =
            try await dryRun
            ? Self.movableItems(service, source, target)
            : Keychain.move(
                service: service,
                from: source,
                to: target,
                keepsSource: keep,
                timeout: configuration.promptPolicy.timeout ?? .seconds(30),
                announcing: LossNotice.show
            )
        try ItemListing.show(items, json: json)
    }

    /// Returns the items that would be moved, and throws if moving them would overwrite another secret.
    private static func movableItems(
        _ service: String?,
        _ source: any CredentialStore,
        _ target: any CredentialStore
    ) async throws -> [CredentialItem] {
        try await Keychain.refuseSame(source, target)
        let items = try await source.items(service: service).filter(\.isMovable)
        var added: [Credential] = []
        for item in items {
            guard let credential = try await source.credential(for: item.key) else { continue }
            guard let existing = try await target.credential(for: item.key),
                existing.item.key.isSame(as: item.key)
            else {
                added.append(credential)
                continue
            }
            guard credential.secret != existing.secret else { continue }
            let name = ShellQuoting.escapingUnprintable("\(item.key)")
            throw CommandFailure(.cannotCreate, "\(name) already exists in the target with another secret")
        }
        LossNotice.show(try await Keychain.losses(moving: added, to: target))
        return items
    }

    private func store(_ name: String, _ standard: VaultConfiguration) throws -> any CredentialStore {
        if name == "secret-service" { return options.secretService() }
        var configuration = standard
        if name != "vault" { configuration.path = KeychainSettings.absolute(name) }
        return try VaultStore(configuration)
    }
}
