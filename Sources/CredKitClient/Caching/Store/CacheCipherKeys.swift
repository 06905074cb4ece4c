// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The keys of one account's cache.
struct CacheCipherKeys: Sendable {
    /// Encrypts the stored responses.
    let content: SecretBytes
    /// Hides URLs and request fields in file names and digests.
    private let names: HMAC<SHA256>.Key

    /// Derives the keys from that of the session: without it, the stored responses are lost.
    ///
    /// - Parameter key: The session's key, or random bytes for responses that are stored in memory only.
    /// - Throws: ``ClientError/outOfMemory``.
    init(from key: SecretBytes) throws(ClientError) {
        do throws(KeyDerivationError) {
            content = try HKDF.deriveKey(from: key, salt: [], info: Array("credkit cache content".utf8))
            let names = try HKDF.deriveKey(from: key, salt: [], info: Array("credkit cache names".utf8))
            self.names = HMAC<SHA256>.Key(names)
        } catch {
            throw .outOfMemory
        }
    }

    /// Keys that nothing outside this process has.
    static func random() throws(ClientError) -> CacheCipherKeys {
        try CacheCipherKeys(from: SessionKey().bytes)
    }

    /// A keyed hash of 16 bytes.
    func digest(_ bytes: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes.span, using: names).prefix(16))
    }

    /// The same in hexadecimal digits.
    func name(_ bytes: [UInt8]) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: bytes.span, using: names)
        return code.withContiguousSpan { Hex.encode($0.extracting(..<16)) }
    }
}
