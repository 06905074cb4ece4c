// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain repair`: repairs the vault.
struct KeychainRepairCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Repair a damaged or missing vault from its backup.",
        discussion: """
            For instance:
              credkit keychain repair

            Nothing is deleted: a damaged file is kept under another name. Prints the actions taken.
            """
    )

    @Flag(help: "Accept an older copy of the vault as the newest from now on.")
    var acceptOlderCopy = false

    @Flag(help: "Print one JSON object: repaired, actions.")
    var json = false

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    /// The output of `--json`.
    private struct Result: Encodable {
        let repaired: Bool
        let actions: String?
    }

    func execute() async throws {
        let vault = try options.vaultStore { $0.acceptsRollback = acceptOlderCopy }
        let actions = try await vault.repair()
        try CommandOutput(json: json).print(
            Result(repaired: actions != nil, actions: actions),
            text: ShellQuoting.escapingUnprintable(actions ?? "nothing to do")
        )
    }
}
