// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import Foundation

@testable import CredKitKeychain

/// An item as `script/read-vault.py` prints it and Foundation decodes it, for comparisons.
struct PlainItem: Codable, Hashable {
    /// The document around the items.
    struct Document: Codable {
        var format: String
        var version: Int
        var items: [PlainItem]
    }

    var service: String
    var account: String?
    var attributes: [String: String]
    var label: String
    var contentType: String
    var created: String?
    var modified: String?
    var secret: String?
    var secretBase64: String?

    init(_ credential: Credential) {
        let item = credential.item
        (service, account, attributes) = (item.key.service, item.key.account, item.key.attributes)
        (label, contentType) = (item.label, item.contentType)
        (created, modified) = (item.created.map(Self.text), item.modified.map(Self.text))
        let bytes = Data(credential.secret.withSecretBytes { secret in secret.indices.map { secret[$0] } })
        secret = String(data: bytes, encoding: .utf8)
        if secret == nil { secretBase64 = bytes.base64EncodedString() }
    }

    /// Formats a time in ISO 8601 without CredKit.
    private static func text(_ date: Date) -> String {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions.insert(.withFractionalSeconds)
        return formatter.string(from: date)
    }
}
