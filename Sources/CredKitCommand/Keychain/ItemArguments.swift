// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain

/// The arguments that identify an item.
struct ItemArguments: ParsableArguments {
    @Argument(
        help: "The service that the secret is for: a program, a host or an address.",
        completion: NameCompletion.services
    )
    var service: String

    @Argument(help: "The account. Without it, the command uses the item that has no account.")
    var account: String?

    @Option(
        help: ArgumentHelp(
            "A further attribute that distinguishes the item from others of this service and account.",
            valueName: "name=value"
        )
    )
    var attribute: [AttributeArgument] = []

    func validate() throws { _ = try key() }

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
        // Bytes, because an accent after the = would belong to the same character.
        let bytes = Substring(argument).utf8
        guard let sign = bytes.firstIndex(of: UInt8(ascii: "=")), sign != bytes.startIndex else { return nil }
        name = String(Substring(bytes[..<sign]))
        value = String(Substring(bytes[sign...].dropFirst()))
    }

    static func dictionary(_ all: [AttributeArgument]) throws -> [String: String] {
        var attributes: [String: String] = [:]
        for attribute in all where attributes.updateValue(attribute.value, forKey: attribute.name) != nil {
            throw ValidationError("The attribute '\(attribute.name)' is given twice.")
        }
        return attributes
    }
}
