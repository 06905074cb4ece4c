// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// AES-256 in Galois/Counter Mode ([NIST SP 800-38D](https://doi.org/10.6028/NIST.SP.800-38D)).
///
/// The sealed bytes are the ciphertext, which is as long as the plaintext, followed by a tag of 16 bytes. Never seal
/// two plaintexts with the same key and nonce.
package enum AESGCM {
    /// The size of a key in bytes.
    package static let keyByteCount = 32
    /// The size of a nonce in bytes.
    package static let nonceByteCount = 12
    /// The size of the authentication tag in bytes.
    package static let tagByteCount = 16

    /// Encrypts and authenticates.
    ///
    /// - Parameters:
    ///   - plaintext: The bytes to seal, less than 2 GiB.
    ///   - key: The key, 32 bytes.
    ///   - nonce: The nonce, 12 bytes.
    ///   - context: Additional authenticated data, which opening requires unchanged.
    /// - Returns: The encrypted bytes, followed by the tag.
    /// - Throws: ``CipherError/outOfMemory``.
    package static func seal(
        _ plaintext: some SecretInput,
        key: SecretBytes,
        nonce: [UInt8],
        context: [UInt8]
    ) throws(CipherError) -> [UInt8] {
        try plaintext.withSecretBytes { (plaintext) throws(CipherError) in
            let count = plaintext.count + tagByteCount
            var isSealed = false
            let sealed = unsafe [UInt8](unsafeUninitializedCapacity: count) { sealed, initializedCount in
                isSealed = unsafe plaintext.withUnsafeBufferPointer { plaintext in
                    unsafe encrypt(plaintext, key: key, nonce: nonce, context: context, into: sealed)
                }
                initializedCount = isSealed ? count : 0
            }
            guard isSealed else {
                _ = OpenSSLErrors.takeReason()
                throw .outOfMemory
            }
            return sealed
        }
    }

    /// Decrypts sealed bytes if they are authentic.
    ///
    /// - Parameters:
    ///   - sealed: The encrypted bytes, followed by the tag.
    ///   - key: The key, 32 bytes.
    ///   - nonce: The nonce that the bytes were sealed with, 12 bytes.
    ///   - context: The context that the bytes were sealed with.
    /// - Returns: The plaintext.
    /// - Throws: ``CipherError``.
    package static func open(
        _ sealed: Span<UInt8>,
        key: SecretBytes,
        nonce: [UInt8],
        context: [UInt8]
    ) throws(CipherError) -> SecretBytes {
        guard sealed.count >= tagByteCount else { throw .notAuthentic }
        let count = sealed.count - tagByteCount
        var isAuthentic = false
        // One byte more, so that an empty plaintext needs no special case.
        let plaintext: SecretBytes = try unsafe .plaintext(capacity: count + 1) { output in
            unsafe sealed.withUnsafeBufferPointer { sealed in
                isAuthentic = unsafe decrypt(sealed, key: key, nonce: nonce, context: context, into: output)
            }
            return isAuthentic ? count : 0
        }
        guard isAuthentic else {
            _ = OpenSSLErrors.takeReason()
            throw .notAuthentic
        }
        return plaintext
    }

    /// The implementation. OpenSSL looks for that of `EVP_aes_256_gcm()` anew at each use.
    nonisolated(unsafe) static let algorithm =
        unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) ?? EVP_aes_256_gcm()

    private static func encrypt(
        _ plaintext: UnsafeBufferPointer<UInt8>,
        key: SecretBytes,
        nonce: [UInt8],
        context: [UInt8],
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        precondition(
            key.count == keyByteCount && nonce.count == nonceByteCount,
            "The key or the nonce has the wrong size."
        )
        guard let cipher = unsafe EVP_CIPHER_CTX_new() else { return false }
        defer { unsafe EVP_CIPHER_CTX_free(cipher) }
        var count: Int32 = 0
        let isReady = key.withSecretBytes { key in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe EVP_EncryptInit_ex(cipher, algorithm, nil, key.baseAddress, nonce) == 1
            }
        }
        return unsafe isReady
            && EVP_EncryptUpdate(cipher, nil, &count, context, Int32(context.count)) == 1
            && EVP_EncryptUpdate(
                cipher,
                output.baseAddress,
                &count,
                plaintext.baseAddress,
                Int32(plaintext.count)
            ) == 1
            && EVP_EncryptFinal_ex(cipher, nil, &count) == 1
            && EVP_CIPHER_CTX_ctrl(
                cipher,
                EVP_CTRL_AEAD_GET_TAG,
                Int32(tagByteCount),
                output.baseAddress?.advanced(by: plaintext.count)
            ) == 1
    }

    private static func decrypt(
        _ sealed: UnsafeBufferPointer<UInt8>,
        key: SecretBytes,
        nonce: [UInt8],
        context: [UInt8],
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        unsafe Opener(key: key)?.decrypt(sealed, nonce: nonce, context: context, into: output) ?? false
    }
}
