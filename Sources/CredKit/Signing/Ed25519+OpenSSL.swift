// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

extension Ed25519 {
    /// Reads a private key as RFC 8032 defines it.
    ///
    /// - Parameter pem: PKCS #8, not encrypted.
    /// - Returns: The key; `nil` if the text is something else.
    /// - Throws: ``SecretMemoryError`` if there is no guarded memory left.
    static func privateKey(pem: some SecretInput) throws(SecretMemoryError) -> SecretBytes? {
        defer { _ = OpenSSLErrors.takeReason() }
        var seed = Result<SecretBytes?, SecretMemoryError>.success(nil)
        unsafe PEMText.withReader(of: pem, label: "PRIVATE KEY") { reader in
            guard let key = unsafe PEM_read_bio_PrivateKey(reader, nil, refusePEMPassphrase, nil) else {
                return
            }
            defer { unsafe EVP_PKEY_free(key) }
            guard unsafe EVP_PKEY_get_id(key) == EVP_PKEY_ED25519 else { return }
            seed = Result { () throws(SecretMemoryError) in unsafe try rawBytes(of: key) }
        }
        guard let seed = try seed.get(), seed.count == keyByteCount else { return nil }
        return seed
    }

    private static func rawBytes(of key: OpaquePointer) throws(SecretMemoryError) -> SecretBytes {
        try SecretBytes(capacity: keyByteCount) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initializedCount in
                var count = keyByteCount
                let isRead = unsafe EVP_PKEY_get_raw_private_key(key, buffer.baseAddress, &count) == 1
                initializedCount = isRead ? count : 0
            }
        }
    }
}
