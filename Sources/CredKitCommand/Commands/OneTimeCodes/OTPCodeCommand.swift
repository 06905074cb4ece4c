// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// `credkit otp code`: prints the current code.
struct OTPCodeCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "code",
        abstract: "Print the current one-time code.",
        discussion: """
            For instance:
              credkit otp code example.com alice

            For a key with a counter, the next code: the incremented counter is stored before the code is printed, so that \
            no code is printed twice. The exit status is 1 if there is no such item.
            """
    )

    @OptionGroup
    var item: ItemArguments

    @Flag(help: "Print one JSON object: code, and expires or counter.")
    var json = false

    @OptionGroup(title: "Keychain")
    var options: KeychainOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    /// The output of `--json`.
    struct Listing: Encodable, Sendable {
        let code: String
        var expires: String?
        var counter: UInt64?
    }

    func validate() throws { _ = try item.key() }

    func execute() async throws {
        let keychain = try await options.keychain()
        let key = try await OneTimeCodeItem.load(item, from: keychain).key
        let listing: Listing
        if case .time = key.kind {
            let now = UnixTime.now
            listing = Listing(
                code: try key.code(at: now).text,
                expires: try key.expiry(ofCodeAt: now).description
            )
        } else {
            listing = try await OneTimeCodeItem.changeCounter(item, in: keychain) { key in
                guard case .counter(let counter) = key.kind else { throw OneTimeCodeError.wrongKind }
                var key = key
                return (Listing(code: try key.takeCode().text, counter: counter), counter + 1)
            }
        }
        try CommandOutput(json: json).print(listing, text: listing.code)
    }
}
