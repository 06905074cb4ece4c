// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

extension PBKDF2Hash {
    /// PBKDF2 with a digest as long as its hash function's.
    static func computeDigest(
        of password: Span<UInt8>,
        salt: [UInt8],
        function: Function,
        iterations: Int
    ) throws(PasswordError) -> SecretBytes {
        try computeDigest(
            of: password,
            salt: salt,
            function: function,
            iterations: iterations,
            count: function.digestByteCount
        )
    }

    /// PBKDF2.
    static func computeDigest(
        of password: Span<UInt8>,
        salt: [UInt8],
        function: Function,
        iterations: Int,
        count: Int
    ) throws(PasswordError) -> SecretBytes {
        BackendCalls.note()
        guard let iterations = Int32(exactly: iterations) else {
            throw .overLimit("OpenSSL takes at most 2³¹ - 1 iterations")
        }
        guard let passwordCount = Int32(exactly: password.count) else {
            throw .passwordTooLong("the password is too long: OpenSSL takes at most 2³¹ - 1 bytes")
        }
        return try unsafe .derived(count: count) { digest in
            let status = unsafe password.withUnsafeBytes { password in
                unsafe PKCS5_PBKDF2_HMAC(
                    password.baseAddress?.assumingMemoryBound(to: CChar.self),
                    passwordCount,
                    salt,
                    Int32(salt.count),
                    iterations,
                    function == .sha256 ? EVP_sha256() : EVP_sha512(),
                    Int32(digest.count),
                    digest.baseAddress
                )
            }
            guard status != 1 else { return nil }
            _ = OpenSSLErrors.takeReason()
            return .backendFailed("OpenSSL could not compute PBKDF2")
        }
    }
}
