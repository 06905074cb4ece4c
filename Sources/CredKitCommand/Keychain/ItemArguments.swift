// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain

/// What an item is found by.
struct ItemArguments: ParsableArguments {
    @Argument(help: "What the secret is for: the name of a program, a host, an address.")
    var service: String

    @Argument(help: "Whose it is. Without it the item that has no account is meant.")
    var account: String?

    @Option(
        help: ArgumentHelp(
            "A further attribute, to tell the item from others with the same service and account.",
            valueName: "name=value"
        )
    )
    var attribute: [AttributeArgument] = []

    func key() throws -> CredentialKey {
        try CredentialKey(
            service: service,
            account: account,
            attributes: AttributeArgument.dictionary(attribute)
        )
    }
}

/// An attribute, `name=value`.
struct AttributeArgument: ExpressibleByArgument {
    let name: String
    let value: String

    init?(argument: String) {
        guard let sign = argument.firstIndex(of: "="), sign != argument.startIndex else { return nil }
        name = String(argument[..<sign])
        value = String(argument[argument.index(after: sign)...])
    }

    static func dictionary(_ all: [AttributeArgument]) throws -> [String: String] {
        var attributes: [String: String] = [:]
        for attribute in all where attributes.updateValue(attribute.value, forKey: attribute.name) != nil {
            throw ValidationError("The attribute \(attribute.name) is given twice.")
        }
        return attributes
    }
}
