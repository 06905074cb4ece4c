// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// AES-128 with cipher block chaining ([NIST SP 800-38A](https://doi.org/10.6028/NIST.SP.800-38A)) and the padding of
/// PKCS #7, to read what other programs have written. CredKit itself seals with ``AESGCM``.
package enum AESCBC {
    /// The size of a key in bytes.
    package static let keyByteCount = 16
    /// The size of a block and of an initialisation vector in bytes.
    package static let blockByteCount = 16

    /// Decrypts. That the bytes are authentic must have been checked before: this does not tell.
    ///
    /// - Parameters:
    ///   - encrypted: The encrypted bytes with the padding, less than 2 GiB.
    ///   - key: 16 bytes.
    ///   - vector: The initialisation vector, 16 bytes.
    /// - Returns: The plain text without the padding.
    /// - Throws: ``CipherError``; ``CipherError/notAuthentic`` when there are no whole blocks or no right padding.
    package static func open(
        _ encrypted: Span<UInt8>,
        key: SecretBytes,
        vector: [UInt8]
    ) throws(CipherError) -> SecretBytes {
        precondition(
            key.count == keyByteCount && vector.count == blockByteCount,
            "A key or initialisation vector has no such size."
        )
        guard encrypted.count > 0, encrypted.count.isMultiple(of: blockByteCount),
            let encryptedCount = Int32(exactly: encrypted.count)
        else { throw .notAuthentic }
        guard let cipher = unsafe EVP_CIPHER_CTX_new() else { throw .outOfMemory }
        defer { unsafe EVP_CIPHER_CTX_free(cipher) }
        let isReady = key.withSecretBytes { key in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe EVP_DecryptInit_ex(cipher, EVP_aes_128_cbc(), nil, key.baseAddress, vector) == 1
            }
        }
        guard isReady else {
            _ = OpenSSLErrors.takeReason()
            throw .outOfMemory
        }
        var isPadded = false
        // OpenSSL may write one block more than the text has.
        let plaintext: SecretBytes = try unsafe .plaintext(capacity: encrypted.count + blockByteCount) {
            output in
            var (count, rest): (Int32, Int32) = (0, 0)
            isPadded = unsafe encrypted.withUnsafeBufferPointer { encrypted in
                unsafe EVP_DecryptUpdate(
                    cipher,
                    output.baseAddress,
                    &count,
                    encrypted.baseAddress,
                    encryptedCount
                ) == 1
                    && EVP_DecryptFinal_ex(cipher, output.baseAddress?.advanced(by: Int(count)), &rest) == 1
            }
            return isPadded ? Int(count + rest) : 0
        }
        guard isPadded else {
            _ = OpenSSLErrors.takeReason()
            throw .notAuthentic
        }
        return plaintext
    }
}
