// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

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

    func validate() throws { _ = try item.key() }

    func execute() async throws {
        let key = try OneTimeCodeItem.credentialKey(item)
        let listing = try await OneTimeCodeListing(takenFrom: key, in: options.keychain())
        try CommandOutput(json: json).print(listing, text: listing.code)
    }
}
