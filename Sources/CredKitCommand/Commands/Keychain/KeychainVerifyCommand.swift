// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain verify`: checks the integrity of the vault.
struct KeychainVerifyCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read and check every byte of the vault.",
        discussion: """
            For instance:
              credkit keychain verify

            Prints the number of items. The exit status is 65 if the vault is damaged (see 'repair'), or is not what this \
            account has seen: an older copy, another vault, or missing. If that is intended, --accept accepts it, and \
            prints the id and the generation of the accepted vault.
            """
    )

    @Flag(help: "Accept an older copy of the vault, another vault, or that there is none.")
    var accept = false

    @Flag(name: .shortAndLong, help: "Print nothing; check the exit status.")
    var quiet = false

    @Flag(help: "Print one JSON object: path, items; with --accept also changed, id, generation.")
    var json = false

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    private struct Result: Encodable {
        let path: String
        let items: Int
    }

    private struct Acceptance: Encodable {
        let path: String
        let items: Int
        let changed: Bool
        let id: String?
        let generation: UInt64?
        let previousID: String?
        let newestGeneration: UInt64?
        let keptFile: String?
    }

    func execute() async throws {
        let vault = try options.vaultStore()
        guard !accept else { return try await accept(vault) }
        let result = Result(path: vault.path, items: try await vault.verify())
        try CommandOutput(json: json, quiet: quiet).print(
            result,
            text: "\(ShellQuoting.escapingUnprintable(result.path)): OK, \(result.items) "
                + (result.items == 1 ? "item" : "items")
        )
    }

    private func accept(_ vault: VaultStore) async throws {
        let acceptance = try await vault.accept()
        try CommandOutput(json: json, quiet: quiet).print(
            Acceptance(
                path: acceptance.path,
                items: acceptance.itemCount,
                changed: acceptance.isChanged,
                id: acceptance.identifier,
                generation: acceptance.generation,
                previousID: acceptance.previousIdentifier,
                newestGeneration: acceptance.newestGenerationSeen,
                keptFile: acceptance.keptFile
            ),
            text: ShellQuoting.escapingUnprintable(acceptance.description)
        )
    }
}
