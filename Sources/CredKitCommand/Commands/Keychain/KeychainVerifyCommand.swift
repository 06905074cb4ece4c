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

            Prints the number of items. The exit status is 65 if the vault is damaged or an older copy; see 'repair'.
            """
    )

    @Flag(name: .shortAndLong, help: "Print nothing; check the exit status.")
    var quiet = false

    @Flag(help: "Print one JSON object: path, items.")
    var json = false

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    private struct Result: Encodable {
        let path: String
        let items: Int
    }

    func execute() async throws {
        let vault = try options.vaultStore()
        let result = Result(path: vault.path, items: try await vault.verify())
        try CommandOutput(json: json, quiet: quiet).print(
            result,
            text: "\(ShellQuoting.escapingUnprintable(result.path)): OK, \(result.items) "
                + (result.items == 1 ? "item" : "items")
        )
    }
}
