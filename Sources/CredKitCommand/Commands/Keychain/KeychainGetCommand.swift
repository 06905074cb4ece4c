// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// `credkit keychain get`: prints a secret.
struct KeychainGetCommand: KeychainAction {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Print a secret.",
        discussion: """
            For instance:
              credkit keychain get com.example.app alice

            The secret is printed byte for byte; on a terminal, a line feed follows. The exit status is 1 if there is no \
            such item.
            """
    )

    @OptionGroup
    var item: ItemArguments

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @Flag(name: .shortAndLong, help: "Do not report a missing item.")
    var quiet = false

    @OptionGroup
    var arguments: KeychainArguments

    func execute() async throws {
        let credential = try await Self.credential(item.key(), options.settings, isQuiet: quiet)
        if json {
            try CommandOutput(json: true).print(ItemListing(credential), text: "")
        } else {
            try Self.print(credential.secret)
        }
    }

    /// Returns the item with a key.
    ///
    /// - Throws: ``CommandFailure`` when there is no such item, without a message if `isQuiet`.
    static func credential(
        _ key: CredentialKey,
        _ settings: KeychainSettings,
        isQuiet: Bool
    ) async throws -> Credential {
        let keychain = try await settings.existingKeychain()
        guard let credential = try await keychain.credential(for: key) else {
            throw await CommandFailure.missingItem(key, in: keychain, isQuiet: isQuiet)
        }
        return credential
    }

    /// Prints a secret unchanged, and on a terminal a line feed.
    static func print(_ secret: SecretBytes) throws(CommandFailure) {
        try StandardStreams.write(secret)
        if StandardStreams.writesToTerminal { try StandardStreams.writeLine("") }
    }
}
