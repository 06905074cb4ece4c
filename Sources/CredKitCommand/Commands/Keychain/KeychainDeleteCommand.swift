// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain delete`: deletes an item.
struct KeychainDeleteCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a secret.",
        discussion: """
            For instance:
              credkit keychain delete com.example.app alice

            The exit status is 1 if there is no such item.
            """
    )

    @OptionGroup
    var item: ItemArguments

    @Flag(name: .shortAndLong, help: "Do not report a missing item; check the exit status.")
    var quiet = false

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func validate() throws { _ = try item.key() }

    func execute() async throws {
        let key = try item.key()
        guard try await options.keychain().delete(key) else {
            let message = "there is no item \(ShellQuoting.escapingUnprintable("\(key)"))"
            throw CommandFailure(.no, quiet ? nil : message)
        }
    }
}
