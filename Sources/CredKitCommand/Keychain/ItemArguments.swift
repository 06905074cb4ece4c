// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitKeychain
import CredKitTerminal

/// The arguments that identify an item.
struct ItemArguments: ParsableArguments {
    @Argument(
        help: "What the secret is for: a program, a host or an address.",
        completion: NameCompletion.services
    )
    var service: String

    @Argument(help: "The account; without it, the item that has none.")
    var account: String?

    @OptionGroup
    var further: AttributeOptions

    /// Service and account as prompts name them.
    var name: String { ([service] + [account].compactMap { $0 }).joined(separator: "/") }

    func key() throws -> CredentialKey {
        try CredentialKey(service: service, account: account, attributes: further.attributes())
    }
}

/// The option for further attributes of an item.
struct AttributeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A further attribute that the item is identified by.",
            valueName: "name=value"
        )
    )
    var attribute: [AttributeArgument] = []

    func validate() throws { _ = try attributes() }

    /// The attributes by name.
    func attributes() throws -> [String: String] { try AttributeArgument.dictionary(attribute) }
}

extension Keychain {
    /// Throws ``CommandFailure`` if there is an item with a key, which storing another one would replace.
    func refuseReplacing(_ key: CredentialKey) async throws {
        let all = try await key.service.isEmpty ? search(key.attributes) : items(service: key.service)
        guard all.contains(where: { $0.key.isSame(as: key) }) else { return }
        throw CommandFailure(
            .cannotCreate,
            "there is an item \(key.nameForPeople) already (--replace overwrites it)"
        )
    }
}

extension CredentialKey {
    /// The key as messages show it: that of one-time codes without what sets them apart from passwords.
    var nameForPeople: String {
        let key = isFor(.oneTimeCode) ? OneTimeCodeItem.publicKey(self) : self
        return ShellQuoting.escapingUnprintable("\(key)")
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
