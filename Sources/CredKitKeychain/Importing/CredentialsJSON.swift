// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// Credentials as JSON, in clear: to move them to another program or machine, and to keep a copy in a safe place.
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
/// | `account` | a text; left out where there is no account, which is not the same as an empty one |
/// | `attributes` | an object with the further attributes, each a text; may be left out |
/// | `label` | a text; may be left out |
/// | `contentType` | a text, `text/plain` if left out; `application/octet-stream` beside `secretBase64` |
/// | `created`, `modified` | ISO 8601 with the offset from UTC; left out where it is not known, or outside of the years 1 to 9999 |
/// | `secret` | the secret, if it is UTF-8 |
/// | `secretBase64` | else the secret in Base64 ([RFC 4648](https://www.rfc-editor.org/rfc/rfc4648), padded) |
///
/// `null` means the same as to leave a key out. Other keys are refused, as is one that stands twice: what is not
/// understood could be what makes an item another. Only the version says that there is more.
///
/// Secrets are written from and read into guarded memory without passing through the heap. Names do.
public enum CredentialsJSON {
    static let format = "credkit-credentials"
    static let version = 1
    /// The largest document, in bytes: as large as a vault.
    static let byteCountLimit = VaultLimits.fileByteCount
    /// The most items.
    static let itemLimit = 100_000

    /// Writes credentials.
    ///
    /// - Parameter credentials: The items with their secrets; their order is kept.
    /// - Returns: The document, in UTF-8, with a line for each item and a line feed at the end. What is written here can be
    ///   read by ``decode(_:)``.
    /// - Throws: ``KeychainError``; ``KeychainError/ambiguous`` for two items with one key, ``KeychainError/overLimit`` and
    ///   ``KeychainError/invalid`` for items that no store could take.
    public static func encode(_ credentials: [Credential]) throws(KeychainError) -> SecretBytes {
        guard credentials.count <= itemLimit else {
            throw .overLimit("more than \(itemLimit) items cannot be written at once")
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

    /// Reads credentials.
    ///
    /// - Parameter document: The document, in UTF-8.
    /// - Returns: The items with their secrets, in their order.
    /// - Throws: ``KeychainError``; ``KeychainError/damaged`` when it is no such document, ``KeychainError/unsupported`` for
    ///   another version, ``KeychainError/overLimit`` when it or an item is too large, ``KeychainError/invalid`` for a
    ///   value that no store could take and for a key that two items have. No error tells a secret.
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
