// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// HKDF with SHA-256 ([RFC 5869](https://www.rfc-editor.org/rfc/rfc5869)): derives keys for several purposes from one
/// key.
///
/// OpenSSL's implementation, behind EVP, takes a millisecond for its first lookup of algorithms. This one is a few
/// lines over the existing HMAC.
package enum HKDF {
    /// Derives a key.
    ///
    /// - Parameters:
    ///   - secret: The key to derive from. It must be as hard to guess as a random key: never a password.
    ///   - salt: The salt; a different salt gives a different key.
    ///   - info: The purpose of the key.
    ///   - count: The number of bytes, from 1 to 32 × 255.
    /// - Returns: The key.
    /// - Throws: ``KeyDerivationError/outOfMemory``.
    package static func deriveKey(
        from secret: some SecretInput,
        salt: [UInt8],
        info: [UInt8],
        count: Int = 32
    ) throws(KeyDerivationError) -> SecretBytes {
        precondition((1...32 * 255).contains(count), "HKDF derives from 1 to 8,160 bytes.")
        // Neither the extracted key nor a block of the output may remain on the stack: together with the file of a
        // vault they are as good as its key.
        var extracted = secret.withSecretBytes {
            HMAC<SHA256>.authenticationCode(for: $0, using: .init(salt))
        }
        defer { Wiping.wipe(state: &extracted) }
        let key = extracted.withContiguousSpan { HMAC<SHA256>.Key($0) }
        return try unsafe .filled(count: count, outOfMemory: KeyDerivationError.outOfMemory) { output in
            var block: MessageDigest<32>?
            defer { Wiping.wipe(state: &block) }
            var written = 0
            var counter: UInt8 = 1
            while written < count {
                var code = HMAC<SHA256>(key: key)
                if let block { block.withContiguousSpan { code.update($0) } }
                code.update(info.span)
                code.update([counter].span)
                block = code.finalizeAndWipe()
                for byte in block ?? extracted where written < count {
                    unsafe output[written] = byte
                    written += 1
                }
                counter &+= 1
            }
            return nil
        }
    }
}
