// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.LegacyHexAlgorithm.HashFunction {
    /// The name for people.
    var title: String {
        switch self {
        case .md5: "MD5"
        case .sha1: "SHA-1"
        case .sha256: "SHA-256"
        case .sha384: "SHA-384"
        case .sha512: "SHA-512"
        }
    }

    /// The size of a digest in bytes.
    var digestByteCount: Int {
        switch self {
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    /// The time of one round, in seconds.
    var roundSeconds: Double {
        switch self {
        case .md5, .sha1: 0.3e-6
        case .sha256: 0.5e-6
        case .sha384, .sha512: 0.9e-6
        }
    }

    /// The guesses that an attacker makes, as part of a sentence.
    var guesses: String {
        switch self {
        case .md5, .sha1, .sha256: "some 10¹⁰ guesses a second on one graphics card"
        case .sha384, .sha512: "some 10⁹ guesses a second on one graphics card"
        }
    }

    /// Computes the digest of a password and a salt; see ``DigestAlgorithm/saltedHash(of:salt:isPrefix:rounds:)``.
    func digest(
        of password: Span<UInt8>,
        salt: [UInt8],
        isPrefix: Bool = false,
        rounds: Int = 1
    ) throws(PasswordError) -> SecretBytes {
        BackendCalls.note()
        func compute<Function: DigestAlgorithm, let size: Int>(
            _: Function.Type
        ) throws(PasswordError) -> SecretBytes where Function.Digest == MessageDigest<size> {
            try .copying(
                Function.saltedHash(of: password, salt: salt, isPrefix: isPrefix, rounds: rounds)
            )
        }
        switch self {
        case .md5: return try compute(Legacy.MD5.self)
        case .sha1: return try compute(Legacy.SHA1.self)
        case .sha256: return try compute(SHA256.self)
        case .sha384: return try compute(SHA384.self)
        case .sha512: return try compute(SHA512.self)
        }
    }

    /// Computes the HMAC of a password under a key that is not secret.
    func authenticationCode(of password: Span<UInt8>, key: [UInt8]) throws(PasswordError) -> SecretBytes {
        BackendCalls.note()
        func compute<Function: DigestAlgorithm>(_: Function.Type) throws(PasswordError) -> SecretBytes {
            try .copying(HMAC<Function>.authenticationCode(for: password, using: HMAC<Function>.Key(key)))
        }
        switch self {
        case .md5: return try compute(Legacy.MD5.self)
        case .sha1: return try compute(Legacy.SHA1.self)
        case .sha256: return try compute(SHA256.self)
        case .sha384: return try compute(SHA384.self)
        case .sha512: return try compute(SHA512.self)
        }
    }
}
