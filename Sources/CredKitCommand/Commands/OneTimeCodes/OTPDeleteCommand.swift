// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit otp delete`: deletes a key.
struct OTPDeleteCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a key of one-time codes.",
        discussion: """
            For instance:
              credkit otp delete example.com alice

            The exit status is 1 if there is no such item.
            """
    )

    @OptionGroup
    var item: ItemArguments

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @Flag(name: .shortAndLong, help: "Do not report a missing item; check the exit status.")
    var quiet = false

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func validate() throws { _ = try item.key() }

    func execute() async throws {
        let key = try OneTimeCodeItem.credentialKey(item)
        guard try await options.keychain().delete(key) else {
            throw quiet ? CommandFailure(.no) : OneTimeCodeItem.missing(key)
        }
    }
}
