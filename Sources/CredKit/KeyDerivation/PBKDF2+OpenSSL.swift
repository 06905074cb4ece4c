// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL

/// PBKDF2 with HMAC ([RFC 8018](https://www.rfc-editor.org/rfc/rfc8018#section-5.2)).
///
/// It needs hardly any memory, so graphics cards compute it fast. Use it only for formats that require it, and
/// ``Argon2`` for new ones.
package enum PBKDF2 {
    /// The hash function that HMAC uses.
    package enum Function: String, Sendable {
        case sha1, sha256, sha512

        /// The size of a digest in bytes.
        var digestByteCount: Int {
            switch self {
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        }
    }

    /// Derives a key. The caller must have checked the number of iterations.
    ///
    /// - Parameters:
    ///   - secret: The password.
    ///   - salt: The salt.
    ///   - function: The hash function.
    ///   - iterations: The number of iterations, at least 1.
    ///   - count: The size of the key in bytes, at least 1.
    /// - Returns: The key.
    /// - Throws: ``KeyDerivationError``.
    package static func deriveKey(
        from secret: SecretBytes,
        salt: [UInt8],
        function: Function,
        iterations: Int,
        count: Int
    ) throws(KeyDerivationError) -> SecretBytes {
        try secret.withSecretBytes { (secret) throws(KeyDerivationError) in
            try deriveKey(from: secret, salt: salt, function: function, iterations: iterations, count: count)
        }
    }

    static func deriveKey(
        from password: Span<UInt8>,
        salt: [UInt8],
        function: Function,
        iterations: Int,
        count: Int
    ) throws(KeyDerivationError) -> SecretBytes {
        BackendCalls.note()
        OpenSSLSetup.prepare()
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
