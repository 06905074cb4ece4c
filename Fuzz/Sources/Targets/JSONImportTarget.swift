// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitKeychain
import Foundation

extension FuzzTarget {
    /// Feeds JSON documents with credentials to the importer. An input that begins with no brace is the list of items.
    static let jsonImport = FuzzTarget("json-import") { bytes in
        let isWhole = bytes.first == UInt8(ascii: "{")
        let start = Array(#"{"format":"credkit-credentials","version":1,"items":["#.utf8)
        let document = isWhole ? bytes : start + bytes + "]}".utf8
        guard let credentials = try? CredentialsJSON.decode(SecretBytes(document)) else { return }
        let encoded = try requireSuccess("decoded credentials encode") { () throws(KeychainError) in
            try CredentialsJSON.encode(credentials)
        }
        let again = try requireSuccess("encoded credentials decode") { () throws(KeychainError) in
            try CredentialsJSON.decode(encoded)
        }
        try requireEqual(
            again.map { CredentialImage($0) },
            credentials.map { CredentialImage($0) },
            "credentials stay the same"
        )
        try require(try CredentialsJSON.encode(again) == encoded, "a document is encoded in one way")
        try compareWithFoundation(document, credentials)
    }

    /// What is accepted is JSON, and means the same to another parser.
    private static func compareWithFoundation(_ document: [UInt8], _ credentials: [Credential]) throws {
        let value = try requireSuccess("an accepted document is JSON") {
            try JSONSerialization.jsonObject(with: Data(document))
        }
        let items = (value as? [String: Any])?["items"] as? [[String: Any]] ?? []
        try requireEqual(items.count, credentials.count, "another parser finds as many items")
        for (item, credential) in zip(items, credentials) {
            let service = (item["service"] as? String).map { Array($0.utf8) }
            try requireEqual(
                service,
                Array(credential.item.service.utf8),
                "another parser finds the same service"
            )
            guard let secret = item["secret"] as? String else { continue }
            try requireEqual(
                Array(secret.utf8),
                credential.secret.copy,
                "another parser finds the same secret"
            )
        }
    }
}
