// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// The key derivation of KeePass 2 before Argon2
/// ([AES-KDF](https://keepass.info/help/base/security.html#secdictprotect)): each half of a key is encrypted many times with
/// AES-256, and SHA-256 of both is the result. It needs no memory, so guessing on graphics cards is cheap.
///
/// It only reads files of other programs. CredKit itself derives keys with ``Argon2``.
package enum AESKDF {
    /// The size of the key and of the seed in bytes.
    package static let keyByteCount = 32

    /// The rounds between two looks at the interruption, which take a tenth of a millisecond.
    private static let roundsAtOnce = 4096

    /// Estimates the time of a computation in seconds, on one core of an AMD EPYC of the 2020s, accurate to a factor of
    /// three.
    package static func estimatedSeconds(rounds: UInt64) -> Double { Double(rounds) * 50e-9 }

    /// Derives a key. The caller must have checked the cost.
    ///
    /// - Parameters:
    ///   - key: The key, 32 bytes.
    ///   - seed: The key of AES, 32 bytes, which is not secret.
    ///   - rounds: How often each half is encrypted.
    ///   - interruption: Ends the computation early.
    /// - Returns: The derived key, 32 bytes.
    /// - Throws: ``KeyDerivationError/outOfMemory``, ``KeyDerivationError/cancelled``.
    package static func deriveKey(
        from key: SecretBytes,
        seed: [UInt8],
        rounds: UInt64,
        interruption: Interruption = .never
    ) throws(KeyDerivationError) -> SecretBytes {
        precondition(
            key.count == keyByteCount && seed.count == keyByteCount,
            "The key or the seed has the wrong size."
        )
        let halves = try unsafe SecretBytes.filled(
            count: keyByteCount,
            outOfMemory: KeyDerivationError.outOfMemory
        ) { target in
            key.withSecretBytes { key in
                for index in key.indices { unsafe target[index] = key[index] }
            }
            for start in [0, AESCBC.blockByteCount] {
                let half = unsafe UnsafeMutableBufferPointer(
                    rebasing: target[start..<start + AESCBC.blockByteCount]
                )
                if let error = unsafe encrypt(half, seed, rounds, interruption) { return error }
            }
            return nil
        }
        let digest = SHA256.hash(secret: halves)
        return try unsafe .filled(count: keyByteCount, outOfMemory: KeyDerivationError.outOfMemory) {
            target in
            for (index, byte) in digest.enumerated() { unsafe target[index] = byte }
            return nil
        }
    }

    /// Encrypts a block in place, again and again: CBC does that, with zeros as the plaintext and the block as the
    /// initialization vector.
    private static func encrypt(
        _ block: UnsafeMutableBufferPointer<UInt8>,
        _ seed: [UInt8],
        _ rounds: UInt64,
        _ interruption: Interruption
    ) -> KeyDerivationError? {
        let size = AESCBC.blockByteCount
        guard rounds > 0, let start = block.baseAddress else { return nil }
        guard let cipher = unsafe EVP_CIPHER_CTX_new() else { return .outOfMemory }
        defer { unsafe EVP_CIPHER_CTX_free(cipher) }
        guard unsafe EVP_EncryptInit_ex(cipher, EVP_aes_256_cbc(), nil, seed, start) == 1,
            unsafe EVP_CIPHER_CTX_set_padding(cipher, 0) == 1
        else {
            _ = OpenSSLErrors.takeReason()
            return .outOfMemory
        }
        let zeros = [UInt8](repeating: 0, count: roundsAtOnce * size)
        return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: zeros.count) { output in
            defer { unsafe Wiping.wipe(output) }
            var left = rounds
            while left > 0 {
                guard !interruption.isRaised else { return .cancelled }
                let count = Int(min(left, UInt64(roundsAtOnce))) * size
                var written: Int32 = 0
                let isEncrypted =
                    unsafe EVP_EncryptUpdate(cipher, output.baseAddress, &written, zeros, Int32(count)) == 1
                guard isEncrypted, written == count else {
                    _ = OpenSSLErrors.takeReason()
                    return .outOfMemory
                }
                left -= UInt64(count / size)
                if left == 0 {
                    for index in 0..<size { unsafe block[index] = output[count - size + index] }
                }
            }
            return nil
        }
    }
}
