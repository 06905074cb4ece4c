// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain list`: lists items, without their secrets.
struct KeychainListCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List items without their secrets: service, account, further attributes.",
        discussion: """
            For instance:
              credkit keychain list com.example.app
            """
    )

    @Argument(help: "List only the items of this service.", completion: NameCompletion.services)
    var service: String?

    @Flag(
        help: """
            Print one JSON object per line, for each item: service, account, label, contentType, attributes, created, \
            modified.
            """
    )
    var json = false

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func execute() async throws {
        try ItemListing.show(await options.keychain().items(service: service), json: json)
    }
}
