// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// `credkit otp`: an authenticator on the command line.
struct OTPCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "otp",
        abstract: "Store keys of one-time codes (TOTP, HOTP), and print their codes.",
        discussion: """
            Keys are stored in the keychain, apart from passwords: the items have the service otp:SERVICE. For instance:
              credkit otp add --generate com.example.admin alice

            The exit status is 1 for a wrong code and when there is no such item; 65 for a malformed URI or seed; 73 when \
            there is such an item already; those of 'credkit keychain' otherwise.
            """,
        subcommands: [
            OTPAddCommand.self, OTPCodeCommand.self, OTPURICommand.self, OTPVerifyCommand.self,
            OTPDeleteCommand.self,
        ]
    )
}

/// `credkit otp code`: prints the current code.
struct OTPCodeCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "code",
        abstract: "Print the current one-time code.",
        discussion: """
            For instance:
              credkit otp code example.com alice

            For a key with a counter, the next code: the incremented counter is stored before the code is printed, so that \
            no code is printed twice. The exit status is 1 if there is no such item.
            """
    )

    @OptionGroup
    var item: ItemArguments

    @Flag(help: "Print one JSON object: code, and expires or counter.")
    var json = false

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func execute() async throws {
        let key = try OneTimeCodeItem.credentialKey(item)
        let listing = try await OneTimeCodeListing(takenFrom: key, in: options.keychain())
        try CommandOutput(json: json).print(listing, text: listing.code)
    }
}

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

    func execute() async throws {
        let key = try OneTimeCodeItem.credentialKey(item)
        guard try await options.keychain().delete(key) else {
            throw quiet ? CommandFailure(.no) : OneTimeCodeItem.missing(key)
        }
    }
}
