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

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func execute() async throws {
        let vault = try options.vaultStore { $0.acceptsRollback = acceptOlderCopy }
        let done = try await vault.repair() ?? "nothing to do"
        try StandardStreams.writeLine(ShellQuoting.escapingUnprintable(done))
    }
}
