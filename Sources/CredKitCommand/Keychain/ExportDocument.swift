// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import FoundationEssentials

/// Items with their secrets as JSON, in clear.
struct ExportDocument: Codable {
    private static let format = "credkit-keychain"

    private struct Item: Codable {
        var service: String
        var account: String?
        var attributes: [String: String]?
        var label: String?
        var contentType: String?
        /// The secret, if it is UTF-8; otherwise it is in `secretBase64`.
        var secret: String?
        var secretBase64: String?
    }

    private let format: String
    private let version: Int
    private let items: [Item]

    init(_ credentials: [Credential]) {
        format = Self.format
        version = 1
        items = credentials.map { credential in
            let bytes = credential.secret.heapCopy
            let text = String(validating: bytes, as: UTF8.self)
            return Item(
                service: credential.item.service,
                account: credential.item.account,
                attributes: credential.item.key.attributes,
                label: credential.item.label,
                contentType: credential.item.contentType,
                secret: text,
                secretBase64: text == nil ? Base64.standard.encode(bytes) : nil
            )
        }
    }

    var bytes: [UInt8] {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes, .prettyPrinted]
            return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
        }
    }

    /// The items of a document.
    static func read(_ bytes: [UInt8]) throws -> [Credential] {
        // The decoder's own messages could show a part of a secret.
        guard let document = try? JSONDecoder().decode(Self.self, from: Data(bytes)),
            document.format == format
        else {
            throw CommandFailure(.malformed, "this JSON is no export of a keychain")
        }
        guard document.version == 1 else {
            throw CommandFailure(.malformed, "this export is of a later version")
        }
        return try document.items.map { item in
            let key = CredentialKey(
                service: item.service,
                account: item.account,
                attributes: item.attributes ?? [:]
            )
            let secret: SecretBytes
            if let text = item.secret {
                secret = try SecretBytes(text)
            } else if let text = item.secretBase64, let bytes = try? Base64.standard.decode(text) {
                secret = try SecretBytes(bytes)
            } else {
                let name = ShellQuoting.escapingUnprintable("\(key)")
                throw CommandFailure(.malformed, "the item \(name) has no secret, or one that is no Base64")
            }
            return Credential(
                item: CredentialItem(
                    key: key,
                    label: item.label,
                    contentType: item.contentType ?? "text/plain"
                ),
                secret: secret
            )
        }
    }
}
