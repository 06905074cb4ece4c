// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

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
