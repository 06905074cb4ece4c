// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// `credkit otp`: an authenticator on the command line.
struct OTPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "otp",
        abstract: "Print and verify one-time codes.",
        discussion: """
            For instance:
              credkit otp add --generate com.example.admin alice
              credkit otp code com.example.admin alice

            Keys of TOTP and HOTP are stored in the keychain, apart from passwords.
            """,
        subcommands: [
            OTPAddCommand.self, OTPCodeCommand.self, OTPListCommand.self, OTPVerifyCommand.self,
            OTPURICommand.self, OTPDeleteCommand.self,
        ]
    )
}

/// `credkit otp delete`: deletes a key.
struct OTPDeleteCommand: KeychainAction {
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

    @Flag(name: .shortAndLong, help: "Do not report a missing item.")
    var quiet = false

    @OptionGroup
    var arguments: KeychainArguments

    func execute() async throws {
        let key = try OneTimeCodeItem.credentialKey(item)
        let keychain = try await options.existingKeychain()
        guard try await keychain.delete(key) else {
            throw await CommandFailure.missingItem(key, in: keychain, isQuiet: quiet)
        }
    }
}
