// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain list`: the items, without their secrets.
struct KeychainListCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists items, without their secrets: service, account, further attributes.",
        discussion: """
            For instance:
              credkit keychain list com.example.app
            """
    )

    @Argument(help: "The service whose items are listed; all items without it.")
    var service: String?

    @Flag(
        help: """
            Print a JSON object for each item, on a line of its own: service, account, label, contentType, \
            attributes, created, modified.
            """
    )
    var json = false

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: StrayArguments

    func execute() async throws {
        try ItemListing.show(await options.keychain().items(service: service), json: json)
    }
}
