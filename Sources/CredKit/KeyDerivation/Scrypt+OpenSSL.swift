// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// scrypt ([RFC 7914](https://www.rfc-editor.org/rfc/rfc7914)).
enum Scrypt {
    /// Derives a key. OpenSSL fails before it starts if the computation needs more memory than the limit; its own
    /// default limit is 32 MiB.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - salt: The salt.
    ///   - logN: The binary logarithm of the number of blocks in memory.
    ///   - blockSize: The size of a block, in units of 128 bytes.
    ///   - parallelism: The number of independent computations, which are done one after the other here.
    ///   - count: The size of the key in bytes.
    ///   - memoryLimit: The maximum memory.
    /// - Returns: The key.
    /// - Throws: ``KeyDerivationError``.
    static func deriveKey(
        from password: Span<UInt8>,
        salt: [UInt8],
        logN: Int,
        blockSize: Int,
        parallelism: Int,
        count: Int,
        memoryLimit: MemorySize
    ) throws(KeyDerivationError) -> SecretBytes {
        BackendCalls.note()
        OpenSSLSetup.prepare()
        return try unsafe .filled(count: count, outOfMemory: KeyDerivationError.outOfMemory) { digest in
            let status = unsafe password.withUnsafeBytes { password in
                unsafe EVP_PBE_scrypt(
                    password.baseAddress?.assumingMemoryBound(to: CChar.self),
                    password.count,
                    salt,
                    salt.count,
                    1 << UInt64(logN),
                    UInt64(blockSize),
                    UInt64(parallelism),
                    UInt64(memoryLimit.bytes),
                    digest.baseAddress,
                    digest.count
                )
            }
            guard status != 1 else { return nil }
            let isTooMuch = OpenSSLErrors.takeReason() == EVP_R_MEMORY_LIMIT_EXCEEDED
            return isTooMuch ? .overLimit("scrypt needs more memory than is allowed") : .outOfMemory
        }
    }
}
