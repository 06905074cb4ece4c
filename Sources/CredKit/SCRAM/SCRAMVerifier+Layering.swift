// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM.Verifier {
    /// Creates a verifier of a timestamped login's password-equivalent, without knowing the password. SCRAM's password is then
    /// the 32 lowercase hexadecimal digits of the password-equivalent, which a client computes from password and key phrase.
    ///
    /// A whole table is converted at once. The password-equivalents must then be removed from it: as long as they are there, a
    /// thief of the table logs in with them. A thief of the old table still can.
    ///
    /// - Parameters:
    ///   - passwordEquivalent: The stored password-equivalent.
    ///   - hashFunction: The hash function; SHA-1 is refused.
    ///   - iterations: The number of iterations.
    ///   - salt: The salt, 16 to 1,024 bytes; `nil` for 16 random bytes.
    /// - Throws: ``SCRAM/Error/overLimit``, ``SCRAM/Error/unsupported`` for SHA-1, ``SCRAM/Error/outOfMemory``.
    public init(
        passwordEquivalent: MessageDigest<16>,
        hashFunction: SCRAM.HashFunction = .sha256,
        iterations: SCRAM.Iterations = .recommended,
        salt: [UInt8]? = nil
    ) throws(SCRAM.Error) {
        // Hexadecimal digits are equal under each preparation.
        try self.init(
            password: Self.digits(of: passwordEquivalent),
            hashFunction: hashFunction,
            iterations: iterations,
            salt: salt
        )
    }

    /// Creates a verifier of the digest of a PBKDF2 table, without knowing the password.
    ///
    /// > Warning: Every old copy of that table, each backup, then logs in directly: its digests are what SCRAM derives its keys
    /// > from. Create a verifier of the password at the next login instead.
    ///
    /// - Parameters:
    ///   - digest: The digest of PBKDF2 with HMAC over the hash function, as many bytes as the function's digest or more, of
    ///     which the first are used.
    ///   - salt: The salt of the digest, 1 to 1,024 bytes.
    ///   - iterations: The number of iterations of the digest, at least 1.
    ///   - hashFunction: The hash function; SHA-1 is refused.
    /// - Throws: ``SCRAM/Error/overLimit``, ``SCRAM/Error/unsupported`` for SHA-1, ``SCRAM/Error/outOfMemory``.
    public init(
        unsafeReplayablePBKDF2 digest: SecretBytes,
        salt: [UInt8],
        iterations: Int,
        hashFunction: SCRAM.HashFunction = .sha256
    ) throws(SCRAM.Error) {
        let count = hashFunction.digestByteCount
        guard hashFunction != .sha1 else { throw .unsupported("new verifiers do not use SHA-1") }
        guard digest.count >= count, 1...1024 ~= salt.count, 1...Int(Int32.max) ~= iterations else {
            throw .overLimit("the digest is too short, or salt or iterations are outside their ranges")
        }
        let salted: SecretBytes
        do throws(SecretMemoryError) {
            salted = try digest.withSecretBytes { (digest) throws(SecretMemoryError) in
                try SecretBytes(capacity: count) { output in
                    for index in 0..<count { output.append(digest[index]) }
                }
            }
        } catch {
            throw .outOfMemory
        }
        try self.init(
            SCRAM.SaltedPassword(unsafe: salted, hashFunction),
            iterations: iterations,
            salt: salt,
            preparation: nil
        )
    }
}

extension SecretBytes {
    /// Creates the lowercase hexadecimal digits of a secret digest.
    package init(hexOf digest: MessageDigest<16>) throws(SecretMemoryError) {
        let result = digest.withSecretHex { digits in
            Result { () throws(SecretMemoryError) -> SecretBytes in
                try SecretBytes(capacity: digits.count) { output in
                    for index in digits.indices { output.append(digits[index]) }
                }
            }
        }
        self = try result.get()
    }
}
