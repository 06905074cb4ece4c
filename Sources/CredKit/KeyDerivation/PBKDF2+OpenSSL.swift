// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

extension PBKDF2 {
    /// Derives a key with OpenSSL, where no kernels may compute. It cannot be interrupted.
    static func deriveWithOpenSSL(
        from password: Span<UInt8>,
        salt: [UInt8],
        function: Function,
        iterations: Int,
        count: Int
    ) throws(KeyDerivationError) -> SecretBytes {
        guard let iterations = Int32(exactly: iterations) else {
            throw .overLimit("OpenSSL takes at most 2³¹ - 1 iterations")
        }
        guard let passwordCount = Int32(exactly: password.count) else {
            throw .inputTooLong("the password is too long: OpenSSL takes at most 2³¹ - 1 bytes")
        }
        return try unsafe .filled(count: count, outOfMemory: KeyDerivationError.outOfMemory) { digest in
            let status = unsafe password.withUnsafeBytes { password in
                unsafe PKCS5_PBKDF2_HMAC(
                    password.baseAddress?.assumingMemoryBound(to: CChar.self),
                    passwordCount,
                    salt,
                    Int32(salt.count),
                    iterations,
                    function.algorithm,
                    Int32(digest.count),
                    digest.baseAddress
                )
            }
            guard status != 1 else { return nil }
            _ = OpenSSLErrors.takeReason()
            return .failed("OpenSSL could not compute PBKDF2")
        }
    }
}

extension PBKDF2.Function {
    fileprivate var algorithm: OpaquePointer? {
        switch self {
        case .sha1: unsafe EVP_sha1()
        case .sha256: unsafe EVP_sha256()
        case .sha512: unsafe EVP_sha512()
        }
    }
}
