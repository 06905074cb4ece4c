// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitTerminal
import FoundationEssentials

/// The output form of an item.
struct ItemListing: Encodable {
    let service: String
    let account: String?
    let label: String
    let contentType: String
    let attributes: [String: String]
    let created: String?
    let modified: String?
    /// The secret, if it was asked for and is UTF-8.
    private(set) var secret: String?
    /// The secret in Base64, if it was asked for and is not UTF-8.
    private(set) var secretBase64: String?

    init(_ item: CredentialItem) {
        service = item.service
        account = item.account
        label = item.label
        contentType = item.contentType
        attributes = item.key.attributes
        created = item.created.map { $0.formatted(.iso8601) }
        modified = item.modified.map { $0.formatted(.iso8601) }
    }

    init(_ credential: Credential) {
        self.init(credential.item)
        let bytes = credential.secret.heapCopy
        secret = String(validating: bytes, as: UTF8.self)
        if secret == nil { secretBase64 = Base64.standard.encode(bytes) }
    }

    private var line: String {
        let others = attributes.filter { $0.key != "xdg:schema" }.sorted { $0.key < $1.key }
            .map { "\($0.key)=\($0.value)" }
        return ([service] + (account.map { [$0] } ?? []) + others).map(ShellQuoting.escapingUnprintable)
            .joined(separator: "\t")
    }

    /// Prints items, one per line: as JSON objects, or as service, account and further attributes separated by tabs.
    static func show(_ items: [CredentialItem], json: Bool) throws {
        try CommandOutput(json: json).print(items.map(ItemListing.init), text: \.line)
    }
}
