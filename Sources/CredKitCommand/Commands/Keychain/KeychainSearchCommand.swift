// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain search`: lists the items with given attributes.
struct KeychainSearchCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "List the items that have all given attributes, without their secrets.",
        discussion: """
            For instance:
              credkit keychain search username=alice

            'service' and 'username' stand for service and account. The exit status is 1 if no item matches.
            """
    )

    @Argument(help: ArgumentHelp("Attributes, as name=value.", valueName: "name=value"))
    var attributes: [AttributeArgument]

    @Flag(help: "Print one JSON object per line, for each item, with the keys of 'list'.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print nothing; check the exit status.")
    var quiet = false

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    func validate() throws { _ = try AttributeArgument.dictionary(attributes) }

    func execute() async throws {
        let items = try await options.keychain().search(AttributeArgument.dictionary(attributes))
        if !quiet { try ItemListing.show(items, json: json) }
        if items.isEmpty { throw CommandFailure(.no) }
    }
}
