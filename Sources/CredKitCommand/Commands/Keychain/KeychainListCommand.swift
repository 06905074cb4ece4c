// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain list`: lists items, without their secrets.
struct KeychainListCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List items without their secrets.",
        discussion: """
            For instance:
              credkit keychain list com.example.app
              credkit keychain list account=alice

            Prints service, account and further attributes, separated by tabs. A service with an equals sign is given \
            as 'service=NAME'. The exit status is 1 if no item matches the arguments.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "Only items of this service, or with this attribute (name=value).",
            valueName: "service-or-attribute"
        ),
        completion: NameCompletion.services
    )
    var filters: [String] = []

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @Flag(name: .shortAndLong, help: "Print nothing; check the exit status.")
    var quiet = false

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    func validate() throws { _ = try query() }

    /// The service and the attributes of the command line.
    private func query() throws -> (service: String?, attributes: [String: String]) {
        var services: [String] = []
        var all: [AttributeArgument] = []
        for filter in filters {
            guard filter.utf8.contains(UInt8(ascii: "=")) else {
                services.append(filter)
                continue
            }
            guard let attribute = AttributeArgument(argument: filter) else {
                throw ValidationError("An attribute has no name before its equals sign.")
            }
            all.append(attribute)
        }
        let attributes = try AttributeArgument.dictionary(all)
        guard services.count + (attributes["service"] == nil ? 0 : 1) <= 1 else {
            throw ValidationError("Give one service; further arguments are attributes, as name=value.")
        }
        guard attributes["account"] == nil || attributes["username"] == nil else {
            throw ValidationError("Give only one of account=… and username=…, which are the same.")
        }
        return (services.first, attributes)
    }

    func execute() async throws {
        let keychain = try await options.existingKeychain()
        let (service, attributes) = try query()
        let items =
            try await attributes.isEmpty
            ? keychain.items(service: service) : Self.search(service, attributes, in: keychain)
        if !quiet { try ItemListing.show(items, json: json) }
        if items.isEmpty && !filters.isEmpty { throw CommandFailure(.no) }
    }

    private static func search(
        _ service: String?,
        _ attributes: [String: String],
        in keychain: Keychain
    ) async throws -> [CredentialItem] {
        var attributes = attributes
        if let service { attributes["service"] = service }
        let found = try await keychain.search(attributes)
        guard let account = attributes.removeValue(forKey: "account") else { return found }
        // Items of other programs may have an attribute of this name. Otherwise it means the account.
        attributes["username"] = account
        let meant = try await keychain.search(attributes)
        return (meant + found.filter { !meant.contains($0) }).sortedForPeople()
    }
}
