// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// PBKDF2 with HMAC ([RFC 8018](https://www.rfc-editor.org/rfc/rfc8018#section-5.2)).
///
/// It needs hardly any memory, so graphics cards compute it fast. Use it only for formats that require it, and
/// ``Argon2`` for new ones.
///
/// Before the first use, the kernels for the instruction set of this processor must compute a known answer. If none do, or
/// if the environment variable `CREDKIT_KERNELS` is `reference`, OpenSSL computes, which takes 1.7 to 3 times as long.
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
    ///   - interruption: Ends the computation early, within 5 ms, unless OpenSSL computes.
    /// - Returns: The key.
    /// - Throws: ``KeyDerivationError``.
    package static func deriveKey(
        from secret: SecretBytes,
        salt: [UInt8],
        function: Function,
        iterations: Int,
        count: Int,
        interruption: Interruption = .never
    ) throws(KeyDerivationError) -> SecretBytes {
        try secret.withSecretBytes { (secret) throws(KeyDerivationError) in
            try deriveKey(
                from: secret,
                salt: salt,
                function: function,
                iterations: iterations,
                count: count,
                interruption: interruption
            )
        }
    }

    // The optimizer of Swift 6.3 fails where this is inlined ("outside of lifetime use" of the interruption).
    @inline(never)
    static func deriveKey(
        from password: Span<UInt8>,
        salt: [UInt8],
        function: Function,
        iterations: Int,
        count: Int,
        interruption: Interruption = .never
    ) throws(KeyDerivationError) -> SecretBytes {
        BackendCalls.note()
        let number = try checked(iterations)
        guard let kernels = PBKDF2Kernels(function) else {
            return try deriveWithOpenSSL(
                from: password,
                salt: salt,
                function: function,
                iterations: iterations,
                count: count
            )
        }
        return try kernels.deriveKey(
            from: password,
            salt: salt,
            iterations: number,
            count: count,
            interruption
        )
    }

    /// The number of iterations for the kernels. OpenSSL takes no more.
    static func checked(_ iterations: Int) throws(KeyDerivationError) -> UInt32 {
        guard let number = UInt32(exactly: iterations), 1...UInt32(Int32.max) ~= number else {
            throw .overLimit("PBKDF2 takes 1 to 2³¹ - 1 iterations")
        }
        return number
    }
}
