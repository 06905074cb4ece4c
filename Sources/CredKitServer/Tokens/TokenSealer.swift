// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// Encrypts what a client must bring back, so that nothing must be remembered of it: with AES-256-GCM, under a key of each
/// token, which is derived from the sealer's key, the purpose and 16 random bytes. Any number of tokens is safe with one key.
struct TokenSealer: Sendable {
    static let keyByteCount = 32
    private static let saltByteCount = 16
    /// Each key encrypts once.
    private static let nonce = [UInt8](repeating: 0, count: AESGCM.nonceByteCount)

    private let key: SecretBytes
    private let purpose: [UInt8]

    init(key: SecretBytes, purpose: String) {
        self.key = key
        self.purpose = Array("credkit \(purpose) 1".utf8)
    }

    /// Returns a key if its size is right, or a new one for `nil`.
    static func checkedKey(_ key: SecretBytes?) throws(LoginServerError) -> SecretBytes {
        guard let key else {
            do throws(SecretMemoryError) {
                return try SecretBytes(randomByteCount: keyByteCount)
            } catch {
                throw .outOfMemory
            }
        }
        try LoginServerError.check("the size of the key in bytes", key.count, in: keyByteCount...keyByteCount)
        return key
    }

    /// Returns the token of a content: base64url, 43 characters and four for each three bytes of the content.
    func seal(_ content: [UInt8]) throws(LoginServerError) -> String {
        let salt = SecureRandom.bytes(count: Self.saltByteCount)
        do {
            let sealed = try AESGCM.seal(content, key: tokenKey(salt), nonce: Self.nonce, context: purpose)
            return Base64.urlSafe.unpadded.encode(salt + sealed)
        } catch {
            throw .outOfMemory
        }
    }

    /// Returns the content of a token, and the identifier of the token; `nil` unless it was made with the same key for the same
    /// purpose.
    func open(_ token: String, maximumByteCount: Int) throws(LoginServerError) -> (
        content: [UInt8], id: [UInt8]
    )? {
        guard token.utf8.count <= maximumByteCount,
            let bytes = try? Base64.urlSafe.unpadded.decode(token), bytes.count > Self.saltByteCount
        else { return nil }
        let salt = Array(bytes.prefix(Self.saltByteCount))
        let sealed = Array(bytes.dropFirst(Self.saltByteCount))
        do {
            let content = try AESGCM.open(
                sealed.span,
                key: tokenKey(salt),
                nonce: Self.nonce,
                context: purpose
            )
            return (content.withSecretBytes { content in content.indices.map { content[$0] } }, salt)
        } catch CipherError.notAuthentic {
            return nil
        } catch {
            throw .outOfMemory
        }
    }

    private func tokenKey(_ salt: [UInt8]) throws(KeyDerivationError) -> SecretBytes {
        try HKDF.deriveKey(from: key, salt: salt, info: purpose, count: AESGCM.keyByteCount)
    }
}
