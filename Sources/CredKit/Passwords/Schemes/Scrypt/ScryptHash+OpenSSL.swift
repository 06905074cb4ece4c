// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

extension ScryptHash {
    /// scrypt with a digest of `count` bytes. OpenSSL refuses to start if it needs more memory than the limit, in
    /// bytes; left to itself it would stop at 32 MiB.
    static func computeDigest(
        of password: Span<UInt8>,
        salt: [UInt8],
        costs: ScryptCosts,
        count: Int,
        memoryLimit: Int
    ) throws(PasswordError) -> SecretBytes {
        BackendCalls.note()
        return try unsafe .derived(count: count) { digest in
            let status = unsafe password.withUnsafeBytes { password in
                unsafe EVP_PBE_scrypt(
                    password.baseAddress?.assumingMemoryBound(to: CChar.self),
                    password.count,
                    salt,
                    salt.count,
                    1 << UInt64(costs.logN),
                    UInt64(costs.blockSize),
                    UInt64(costs.parallelism),
                    UInt64(max(0, memoryLimit)),
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
