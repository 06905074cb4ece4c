// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// `credkit otp uri`: prints a key.
struct OTPURICommand: KeychainAction {
    static let configuration = CommandConfiguration(
        commandName: "uri",
        abstract: "Print a key of one-time codes as an otpauth:// URI, for another device.",
        discussion: """
            For instance:
              credkit otp uri example.com alice

            The URI contains the seed. A program such as qrencode makes a QR code of it: pipe it there, without a file. \
            The exit status is 1 if there is no such item.
            """
    )

    @OptionGroup
    var item: OneTimeCodeArguments

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @OptionGroup
    var arguments: KeychainArguments

    /// The output of `--json`.
    private struct Listing: Encodable {
        let uri: String
        let type: String
        let algorithm: String
        let digits: Int
        var period: Int64?
        var counter: UInt64?
        let issuer: String?
        let account: String
    }

    func execute() async throws {
        let keychain = try await options.existingKeychain()
        let key = try await OneTimeCodeItem.load(item.find(in: keychain), from: keychain).key
        let uri = try key.uri()
        guard json else { return try KeychainGetCommand.print(uri) }
        let text = uri.withSecretBytes { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        let (type, period, counter) = key.kind.listed
        let listing = Listing(
            uri: text,
            type: type,
            algorithm: key.algorithm.uriName.lowercased(),
            digits: key.digitCount,
            period: period,
            counter: counter,
            issuer: key.issuer,
            account: key.account
        )
        try CommandOutput(json: true).print(listing, text: "")
    }
}
