// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// AES-256 in counter mode ([NIST SP 800-38A](https://doi.org/10.6028/NIST.SP.800-38A)).
///
/// It only computes stored hashes of other programs. CredKit itself seals with ``AESGCM``.
enum AESCTR {
    /// The size of a key in bytes.
    static let keyByteCount = 32

    /// Encrypts with a counter that begins with 0. A key must not be used for two plaintexts.
    ///
    /// - Parameters:
    ///   - plaintext: The bytes to encrypt, at least 1, less than 2 GiB.
    ///   - key: The key, 32 bytes.
    /// - Returns: As many encrypted bytes.
    /// - Throws: ``CipherError/outOfMemory``.
    static func encrypt(_ plaintext: Span<UInt8>, key: SecretBytes) throws(CipherError) -> SecretBytes {
        precondition(key.count == keyByteCount, "The key has the wrong size.")
        guard let plaintextCount = Int32(exactly: plaintext.count) else { throw .outOfMemory }
        guard let cipher = unsafe EVP_CIPHER_CTX_new() else { throw .outOfMemory }
        defer { unsafe EVP_CIPHER_CTX_free(cipher) }
        let counter = [UInt8](repeating: 0, count: 16)
        let isReady = key.withSecretBytes { key in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe EVP_EncryptInit_ex(cipher, EVP_aes_256_ctr(), nil, key.baseAddress, counter) == 1
            }
        }
        guard isReady else {
            _ = OpenSSLErrors.takeReason()
            throw .outOfMemory
        }
        return try unsafe .plaintext(capacity: plaintext.count) { output in
            var count: Int32 = 0
            let isEncrypted = unsafe plaintext.withUnsafeBufferPointer { plaintext in
                unsafe EVP_EncryptUpdate(
                    cipher,
                    output.baseAddress,
                    &count,
                    plaintext.baseAddress,
                    plaintextCount
                ) == 1
            }
            guard isEncrypted else {
                _ = OpenSSLErrors.takeReason()
                return nil
            }
            return Int(count)
        }
    }
}
