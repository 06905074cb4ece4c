// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM.Verifier {
    /// Creates a verifier of a stored PBKDF2 hash, without knowing the password.
    ///
    /// > Warning: Every old copy of the table, each backup, then logs in directly: its digests are what SCRAM derives its keys
    /// > from. Create a verifier of the password at the next login instead, by
    /// > ``init(password:hashFunction:iterations:salt:preparation:)``.
    ///
    /// Clients must send the password unprepared if the other software hashed it so; printable ASCII is the same in any case.
    ///
    /// - Parameter hash: A hash of the scheme ``PasswordHash/Scheme/pbkdf2SHA256`` or ``PasswordHash/Scheme/pbkdf2SHA512``, in
    ///   any notation.
    /// - Throws: ``PasswordError/unsupported`` for any other hash, one with a pepper, and one whose digest is too short;
    ///   ``PasswordError/outOfMemory``.
    public init(unsafeReplayable hash: PasswordHash) throws(PasswordError) {
        guard hash.pepperKeyID == nil else {
            throw .unsupported("a SCRAM client cannot apply the pepper of this hash")
        }
        guard let stored = hash.stored.unprefixed as? PBKDF2Hash else {
            throw .unsupported(
                "only hashes of pbkdf2-sha256 and pbkdf2-sha512 can become verifiers without the password; one of the scheme "
                    + "\(hash.scheme) needs a login that shows it"
            )
        }
        let function: SCRAM.HashFunction
        switch stored.function {
        case .sha1: throw .unsupported("new verifiers do not use SHA-1")
        case .sha256: function = .sha256
        case .sha512: function = .sha512
        }
        guard stored.digest.count >= function.digestByteCount else {
            throw .unsupported("the digest of this hash is shorter than SCRAM's keys")
        }
        let digest = try SecretBytes.copying(stored.digest)
        do throws(SCRAM.Error) {
            try self.init(
                unsafeReplayablePBKDF2: digest,
                salt: stored.salt,
                iterations: stored.iterations,
                hashFunction: function
            )
        } catch {
            throw PasswordError(error)
        }
    }
}
