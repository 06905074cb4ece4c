// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain repair`: puts the vault right.
struct KeychainRepairCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Puts a vault right: takes its backup where it is damaged or gone.",
        discussion: """
            For instance:
              credkit keychain repair

            Nothing is thrown away: a damaged file is kept under another name. Prints what was done.
            """
    )

    @Flag(help: "Take an older copy of the vault for the newest from now on.")
    var acceptOlderCopy = false

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: StrayArguments

    func execute() async throws {
        let vault = try options.vaultStore { $0.acceptsOlderCopy = acceptOlderCopy }
        let done = try await vault.repair() ?? "nothing to do"
        try StandardStreams.writeLine(ShellQuoting.escapingUnprintable(done))
    }
}
