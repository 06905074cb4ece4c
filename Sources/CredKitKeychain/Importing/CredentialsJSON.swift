// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// Credentials as unencrypted JSON, for moving them to another program or machine, or for a backup in a safe place.
///
/// ```json
/// {"format":"credkit-credentials","version":1,"items":[
/// {"service":"mail","account":"alice","attributes":{"realm":"x"},"label":"Mail","contentType":"text/plain",
///  "created":"2026-01-02T03:04:05.678Z","modified":"2026-01-02T03:04:05.678Z","secret":"correct horse"}
/// ]}
/// ```
///
/// | key of an item | value |
/// |---|---|
/// | `service` | a text |
/// | `account` | a text; omitted if there is no account, which differs from an empty one |
/// | `attributes` | an object with the further attributes, each a text; may be omitted |
/// | `label` | a text; may be omitted |
/// | `contentType` | a text, `text/plain` if omitted; `application/octet-stream` with `secretBase64` |
/// | `created`, `modified` | ISO 8601 with the offset from UTC; omitted if unknown, or outside the years 1 to 9999 |
/// | `secret` | the secret, if it is UTF-8 |
/// | `secretBase64` | otherwise the secret in Base64 ([RFC 4648](https://www.rfc-editor.org/rfc/rfc4648), padded) |
///
/// `null` has the same meaning as an omitted key. Unknown and duplicate keys are rejected: an unknown key could change
/// which item is meant. New keys require a new version.
///
/// Secrets are written from and read into guarded memory without passing through the heap. Names do pass through it.
public enum CredentialsJSON {
    static let format = "credkit-credentials"
    static let version = 1
    /// The maximum size of a document in bytes: the same as that of a vault.
    static let byteCountLimit = VaultLimits.fileByteCount
    /// The maximum number of items.
    static let itemLimit = 100_000

    /// Encodes credentials.
    ///
    /// - Parameter credentials: The items with their secrets; their order is preserved.
    /// - Returns: The document, in UTF-8, with a line for each item and a line feed at the end. ``decode(_:)`` can read
    ///   it.
    /// - Throws: ``KeychainError``; ``KeychainError/ambiguous`` for two items with one key, ``KeychainError/overLimit``
    ///   and ``KeychainError/invalid`` for items that no store accepts.
    public static func encode(_ credentials: [Credential]) throws(KeychainError) -> SecretBytes {
        guard credentials.count <= itemLimit else {
            throw .overLimit("more than \(itemLimit) items cannot be written into one document")
        }
        var byKey: [CredentialKey: CredentialItem] = [:]
        for credential in credentials {
            try credential.check()
            if let other = byKey.updateValue(credential.item, forKey: credential.item.key) {
                throw .several([other, credential.item], for: credential.item.key)
            }
        }
        return try Encoder(credentials).document()
    }

    /// Decodes credentials.
    ///
    /// - Parameter document: The document, in UTF-8.
    /// - Returns: The items with their secrets, in the order of the document.
    /// - Throws: ``KeychainError``; ``KeychainError/damaged`` if the document is malformed,
    ///   ``KeychainError/unsupported`` for another version, ``KeychainError/overLimit`` if the document or an item is
    ///   too large, ``KeychainError/invalid`` for a value that no store accepts and for a key that two items have. No
    ///   error contains a secret.
    public static func decode(_ document: SecretBytes) throws(KeychainError) -> [Credential] {
        guard document.count <= byteCountLimit else {
            throw .overLimit("the document is larger than \(byteCountLimit >> 20) MiB")
        }
        guard document.isUTF8 else { throw .damaged("the document is not UTF-8") }
        return try document.withSecretBytes { (bytes) throws(KeychainError) in
            try Decoder.credentials(of: bytes)
        }
    }

}
