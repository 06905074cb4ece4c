// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// AES-128 and AES-256 with cipher block chaining ([NIST SP 800-38A](https://doi.org/10.6028/NIST.SP.800-38A)) and PKCS #7
/// padding.
///
/// It only reads data of other programs. CredKit itself seals with ``AESGCM``.
package enum AESCBC {
    /// The size of a key of AES-128 in bytes.
    package static let keyByteCount = 16
    /// The size of a key of AES-256 in bytes.
    package static let longKeyByteCount = 32
    /// The size of a block and of an initialization vector in bytes.
    package static let blockByteCount = 16

    /// Decrypts. The caller must have authenticated the bytes before: decryption does not detect forgeries.
    ///
    /// - Parameters:
    ///   - encrypted: The encrypted bytes with the padding, less than 2 GiB.
    ///   - key: The key, 16 or 32 bytes.
    ///   - vector: The initialization vector, 16 bytes.
    /// - Returns: The plaintext without the padding.
    /// - Throws: ``CipherError``; ``CipherError/notAuthentic`` if the input is not whole blocks or the padding is
    ///   invalid.
    package static func open(
        _ encrypted: Span<UInt8>,
        key: SecretBytes,
        vector: [UInt8]
    ) throws(CipherError) -> SecretBytes {
        precondition(
            [keyByteCount, longKeyByteCount].contains(key.count) && vector.count == blockByteCount,
            "The key or the initialization vector has the wrong size."
        )
        guard encrypted.count > 0, encrypted.count.isMultiple(of: blockByteCount),
            let encryptedCount = Int32(exactly: encrypted.count)
        else { throw .notAuthentic }
        guard let cipher = unsafe EVP_CIPHER_CTX_new() else { throw .outOfMemory }
        defer { unsafe EVP_CIPHER_CTX_free(cipher) }
        let isLong = key.count == longKeyByteCount
        let isReady = key.withSecretBytes { key in
            unsafe key.withUnsafeBufferPointer { key in
                let kind = unsafe isLong ? EVP_aes_256_cbc() : EVP_aes_128_cbc()
                return unsafe EVP_DecryptInit_ex(cipher, kind, nil, key.baseAddress, vector) == 1
            }
        }
        guard isReady else {
            _ = OpenSSLErrors.takeReason()
            throw .outOfMemory
        }
        var isPadded = false
        // OpenSSL may write one block more than the plaintext has.
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
