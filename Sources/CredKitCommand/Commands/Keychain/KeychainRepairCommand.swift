// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain repair`: repairs the vault.
struct KeychainRepairCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Repair a damaged or missing vault from its backup, or a damaged backup from the vault.",
        discussion: """
            For instance:
              credkit keychain repair

            Nothing is deleted: a replaced file is kept under another name. Prints what was restored, which generation, and \
            what is lost. A backup that is older than the state before the last save is restored only with \
            --accept-older-copy.
            """
    )

    @Flag(help: "Restore an old backup, and accept an older copy of the vault as the newest from now on.")
    var acceptOlderCopy = false

    @Flag(help: "Print one JSON object: repaired, actions, generation, items, keptFile, newestGeneration.")
    var json = false

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    /// The output of `--json`.
    private struct Result: Encodable {
        let repaired: Bool
        let actions: String?
        let keptFile: String?
        let generation: UInt64?
        let items: Int?
        let newestGeneration: UInt64?
    }

    func execute() async throws {
        let vault = try options.vaultStore { $0.acceptsRollback = acceptOlderCopy }
        let repair = try await vault.repair()
        try CommandOutput(json: json).print(
            Result(
                repaired: repair != nil,
                actions: repair?.description,
                keptFile: repair?.keptFile,
                generation: repair?.generation,
                items: repair?.itemCount,
                newestGeneration: repair?.newestGeneration
            ),
            text: ShellQuoting.escapingUnprintable(repair?.description ?? "nothing to do")
        )
    }
}
