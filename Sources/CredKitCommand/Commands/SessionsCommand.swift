// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient
import CredKitKeychain
import CredKitTerminal

/// `credkit sessions`: lists the saved login sessions.
struct SessionsCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "List login sessions.",
        discussion: """
            For instance:
              credkit sessions

            Only the next request shows whether a server still accepts a login. The exit status is 65 if a session is \
            damaged.
            """
    )

    @Flag(help: "Print one JSON object per session (see docs/json.md).")
    var json = false

    @OptionGroup(title: "Keychain")
    var keychainOptions: SessionKeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func execute() async throws {
        let keychain = try await keychainOptions.keychain()
        var isDamaged = false
        for name in try await LoginSession.savedSessionNames(in: keychain).sorted() {
            let listing = try await SessionListing(name: name, in: keychain)
            if listing.damage != nil { isDamaged = true }
            try CommandOutput(json: json).print(listing, text: listing.line)
        }
        if isDamaged { throw CommandFailure(.malformed) }
    }
}
