// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// The arguments that identify a key of one-time codes, of which all may be left out.
struct OneTimeCodeArguments: ParsableArguments {
    @Argument(
        help: "What the codes are for; not needed where it is clear.",
        completion: NameCompletion.services
    )
    var service: String?

    @Argument(help: "The account.")
    var account: String?

    @OptionGroup
    var further: AttributeOptions

    /// Rejects a URI in place of a name: it contains the seed, which would be stored and shown as a name.
    func validate() throws {
        let names = [service, account].compactMap { $0?.lowercased() }
        for name in names {
            for scheme in ["otpauth:", "otpauth-migration:"] where name.utf8.starts(with: scheme.utf8) {
                throw ValidationError(
                    "A URI is never given on the command line, where others can see it: 'credkit otp add' reads it from "
                        + "standard input or --secret-file."
                )
            }
        }
    }

    /// Service and account as prompts name them; `nil` without a service.
    var name: String? {
        service.map { service in ([service] + [account].compactMap { $0 }).joined(separator: "/") }
    }

    /// Service, account and further attributes; `nil` without a service.
    func place() throws -> CredentialKey? {
        let attributes = try further.attributes()
        return service.map { CredentialKey(service: $0, account: account, attributes: attributes) }
    }

    /// Returns where to store a key: where the command line says, or else under its issuer and account; `nil` if it has
    /// neither.
    func place(of key: OneTimeCodeKey) throws -> CredentialKey? {
        if let place = try place() { return place }
        let names = [key.issuer, key.account.isEmpty ? nil : key.account].compactMap { $0 }
        guard let service = names.first else { return nil }
        return CredentialKey(
            service: service,
            account: names.count > 1 ? names[1] : nil,
            attributes: try further.attributes()
        )
    }

    /// Finds the item that is meant.
    ///
    /// - Parameter keychain: The keychain.
    /// - Returns: The key of the item. There may be no such item if the command line names an account.
    /// - Throws: ``CommandFailure`` when several items can be meant, or none.
    func find(in keychain: Keychain) async throws -> CredentialKey {
        let named = try place().map { OneTimeCodeItem.credentialKey($0) }
        if let named, account != nil { return named }
        var needed = try further.attributes()
        needed[CredentialKey.purposeName] = CredentialKey.Purpose.oneTimeCode.rawValue
        let all: [CredentialItem]
        if let named {
            all = try await keychain.items(service: named.service)
        } else {
            all = try await keychain.search(needed)
        }
        let found = all.filter { $0.key.isFor(.oneTimeCode) && $0.key.matches(needed) }
        // The item without an account is the one that its service alone names.
        if let named, found.contains(where: { $0.key.account == nil }) { return named }
        if found.count == 1 { return found[0].key }
        guard !found.isEmpty else {
            if let named { throw await CommandFailure.missingItem(named, in: keychain, isQuiet: false) }
            throw CommandFailure(.no, "there is no key of one-time codes; 'credkit otp add' stores one")
        }
        let names = found.map(\.key.nameForPeople)
        throw CommandFailure(
            .usage,
            "\(names.count) items can be meant; name one with SERVICE and ACCOUNT: "
                + names.prefix(20).joined(separator: "; ") + (names.count > 20 ? "; …" : "")
        )
    }
}
