// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

extension Scrypt {
    /// Derives a key with OpenSSL, whose own default limit of memory is 32 MiB. The independent computations are done one
    /// after the other.
    static func deriveWithOpenSSL(
        from password: Span<UInt8>,
        salt: [UInt8],
        _ parameters: Parameters,
        count: Int,
        memoryLimit: MemorySize
    ) throws(KeyDerivationError) -> SecretBytes {
        try unsafe .filled(count: count, outOfMemory: KeyDerivationError.outOfMemory) { digest in
            let status = unsafe password.withUnsafeBytes { password in
                unsafe EVP_PBE_scrypt(
                    password.baseAddress?.assumingMemoryBound(to: CChar.self),
                    password.count,
                    salt,
                    salt.count,
                    1 << UInt64(parameters.logN),
                    UInt64(parameters.blockSize),
                    UInt64(parameters.parallelism),
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

    /// Computes PBKDF2 with one iteration, as before and after the blocks are mixed (RFC 7914, section 6). Returns whether
    /// OpenSSL could.
    static func expand(
        _ password: UnsafeRawBufferPointer,
        salt: UnsafeRawBufferPointer,
        to key: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        let status = unsafe PKCS5_PBKDF2_HMAC(
            password.baseAddress?.assumingMemoryBound(to: CChar.self),
            Int32(password.count),
            salt.baseAddress?.assumingMemoryBound(to: UInt8.self),
            Int32(salt.count),
            1,
            EVP_sha256(),
            Int32(key.count),
            key.baseAddress
        )
        guard status != 1 else { return true }
        _ = OpenSSLErrors.takeReason()
        return false
    }
}
