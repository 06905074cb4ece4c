// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitKeychain
import CredKitTerminal

/// `credkit otp list`: lists keys, without their seeds.
struct OTPListCommand: KeychainAction {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List keys of one-time codes without their seeds.",
        discussion: """
            For instance:
              credkit otp list

            Prints service, account, type, algorithm, digits, period in seconds or counter, and further attributes, \
            separated by tabs. The exit status is 65 if an item cannot be read.
            """
    )

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @OptionGroup
    var arguments: KeychainArguments

    private struct Listing: Encodable {
        let service: String
        let account: String?
        let issuer: String?
        let type: String
        let algorithm: String
        let digits: Int
        let period: Int64?
        let counter: UInt64?
        let attributes: [String: String]

        init(_ item: OneTimeCodeItem) {
            let place = OneTimeCodeItem.publicKey(item.item.key)
            (service, account, attributes) = (place.service, place.account, place.attributes)
            let kind = item.key.kind.listed
            (type, period, counter) = (kind.type, kind.period, kind.counter)
            issuer = item.key.issuer
            algorithm = item.key.algorithm.uriName.lowercased()
            digits = item.key.digitCount
        }

        var line: String {
            let others = attributes.filter { $0.key != "xdg:schema" }.sorted { $0.key < $1.key }
                .map { "\($0.key)=\($0.value)" }
            let last = period.map { "\($0)" } ?? counter.map { "\($0)" } ?? ""
            return ([service, account ?? "", type, algorithm, "\(digits)", last] + others)
                .map(ShellQuoting.escapingUnprintable).joined(separator: "\t")
        }
    }

    func execute() async throws {
        let keychain = try await options.existingKeychain()
        let items = try await keychain.search([
            CredentialKey.purposeName: CredentialKey.Purpose.oneTimeCode.rawValue
        ])
        var listings: [Listing] = []
        var isWhole = true
        for item in items {
            do {
                listings.append(Listing(try await OneTimeCodeItem.load(item.key, from: keychain)))
            } catch let failure as CommandFailure where failure.status == .malformed {
                isWhole = false
                if let message = failure.message { StandardStreams.report(message) }
            }
        }
        try CommandOutput(json: json).print(listings, text: \.line)
        guard isWhole else { throw CommandFailure(.malformed) }
    }
}
