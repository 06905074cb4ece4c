// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// Ed25519 ([RFC 8032](https://www.rfc-editor.org/rfc/rfc8032)) with private keys in guarded memory. OpenSSL gets a copy
/// for each operation and wipes it.
enum Ed25519 {
    /// The length of a private and of a public key, in bytes.
    static let keyByteCount = 32
    private static let signatureByteCount = 64

    /// Returns the public key of a private one; `nil` if there is not enough memory.
    static func publicKey(of seed: SecretBytes) -> [UInt8]? {
        unsafe withKey(seed) { key in
            var bytes = [UInt8](repeating: 0, count: keyByteCount)
            var count = keyByteCount
            return unsafe EVP_PKEY_get_raw_public_key(key, &bytes, &count) == 1 && count == keyByteCount
                ? bytes : nil
        }
    }

    /// Signs bytes; `nil` if there is not enough memory.
    static func sign(_ message: Span<UInt8>, _ seed: SecretBytes) -> [UInt8]? {
        unsafe withKey(seed) { key in
            guard let context = unsafe EVP_MD_CTX_new() else { return nil }
            defer { unsafe EVP_MD_CTX_free(context) }
            guard unsafe EVP_DigestSignInit(context, nil, nil, nil, key) == 1 else { return nil }
            var signature = [UInt8](repeating: 0, count: signatureByteCount)
            var count = signatureByteCount
            let isSigned = unsafe message.withUnsafeBufferPointer { message in
                unsafe EVP_DigestSign(context, &signature, &count, message.baseAddress, message.count) == 1
            }
            return isSigned && count == signatureByteCount ? signature : nil
        }
    }

    /// Reads a private key; `nil` if the text is something else.
    static func privateKey(pem: some SecretInput) -> SecretBytes? {
        defer { _ = OpenSSLErrors.takeReason() }
        var seed: SecretBytes?
        unsafe PEMText.withReader(of: pem) { reader in
            guard let key = unsafe PEM_read_bio_PrivateKey(reader, nil, refusePEMPassphrase, nil) else {
                return
            }
            defer { unsafe EVP_PKEY_free(key) }
            guard unsafe EVP_PKEY_get_id(key) == EVP_PKEY_ED25519 else { return }
            seed = try? SecretBytes(capacity: keyByteCount) { output in
                unsafe output.withUnsafeMutableBufferPointer { buffer, initializedCount in
                    var count = keyByteCount
                    let isRead = unsafe EVP_PKEY_get_raw_private_key(key, buffer.baseAddress, &count) == 1
                    initializedCount = isRead ? count : 0
                }
            }
        }
        return seed?.count == keyByteCount ? seed : nil
    }

    private static func withKey<Result>(
        _ seed: SecretBytes,
        _ body: (OpaquePointer) -> Result?
    ) -> Result? {
        defer { _ = OpenSSLErrors.takeReason() }
        let key = unsafe seed.withSecretBytes { seed in
            unsafe seed.withUnsafeBufferPointer { seed in
                unsafe EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, seed.baseAddress, seed.count)
            }
        }
        guard let key = unsafe key else { return nil }
        defer { unsafe EVP_PKEY_free(key) }
        return unsafe body(key)
    }
}
