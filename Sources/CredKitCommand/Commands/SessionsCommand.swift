// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient
import CredKitKeychain
import CredKitTerminal

/// `credkit sessions`: who is logged in, and where.
struct SessionsCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "Lists login sessions: name, server, account, whether a session renews itself.",
        discussion: """
            For instance:
              credkit sessions

            Whether a server still knows a login shows with the next request only. A damaged session is listed as such, \
            and the exit status is 65 then.
            """
    )

    @Flag(
        help: """
            Print a JSON object for each session, on a line of its own: name, server, account, renews, and damage, if \
            there is any, in place of the last three.
            """
    )
    var json = false

    @OptionGroup(title: "Keychain")
    var keychainOptions: SessionKeychainOptions

    @OptionGroup
    var strayArguments: StrayArguments

    func execute() async throws {
        let keychain = try await keychainOptions.keychain()
        var isDamaged = false
        for name in try await LoginSession.storedNames(in: keychain).sorted() {
            let listing = try await SessionListing(name: name, in: keychain)
            if listing.damage != nil { isDamaged = true }
            if json {
                try StandardStreams.write(JSONLine(encoding: listing).bytes)
            } else {
                try StandardStreams.writeLine(listing.line)
            }
        }
        if isDamaged { throw CommandFailure(.malformed) }
    }
}
