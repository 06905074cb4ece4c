// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// HKDF with SHA-256 ([RFC 5869](https://www.rfc-editor.org/rfc/rfc5869)): keys for several purposes from one key.
package enum HKDF {
    /// A derived key.
    ///
    /// - Parameters:
    ///   - secret: The key to derive from, which is as hard to guess as a random one: never a password.
    ///   - salt: Makes the key another one each time.
    ///   - info: What the key is for.
    ///   - count: The number of bytes, from 1 to 32 × 255.
    /// - Returns: The key.
    /// - Throws: ``SealingError/outOfMemory``.
    package static func deriveKey(
        from secret: some SecretInput,
        salt: [UInt8],
        info: [UInt8],
        count: Int = 32
    ) throws(SealingError) -> SecretBytes {
        precondition((1...32 * 255).contains(count), "HKDF makes from 1 to 8,160 bytes.")
        guard let context = unsafe EVP_PKEY_CTX_new_id(EVP_PKEY_HKDF, nil) else { throw .outOfMemory }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        return try secret.withSecretBytes { (secret) throws(SealingError) in
            try unsafe secret.withUnsafeBytes { (secret) throws(SealingError) in
                let key = unsafe secret.assumingMemoryBound(to: UInt8.self)
                guard unsafe EVP_PKEY_derive_init(context) > 0,
                    unsafe EVP_PKEY_CTX_set_hkdf_md(context, EVP_sha256()) > 0,
                    unsafe EVP_PKEY_CTX_set1_hkdf_salt(context, salt, Int32(salt.count)) > 0,
                    unsafe EVP_PKEY_CTX_set1_hkdf_key(context, key.baseAddress, Int32(key.count)) > 0,
                    unsafe EVP_PKEY_CTX_add1_hkdf_info(context, info, Int32(info.count)) > 0
                else {
                    _ = OpenSSLErrors.takeReason()
                    throw .outOfMemory
                }
                return try unsafe .sealing(capacity: count) { output in
                    var length = count
                    return unsafe EVP_PKEY_derive(context, output.baseAddress, &length) > 0 ? length : nil
                }
            }
        }
    }
}
