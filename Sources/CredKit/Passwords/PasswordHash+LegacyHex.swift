// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash {
    /// The algorithm that made a bare hexadecimal digest of a table. The digits do not identify it, so it is never
    /// guessed.
    public enum LegacyHexAlgorithm: Sendable {
        /// A fast hash function, over the bytes of a password.
        public enum HashFunction: String, Sendable, CaseIterable {
            /// MD5: 32 digits, ``Legacy/MD5``.
            case md5
            /// SHA-1: 40 digits, ``Legacy/SHA1``.
            case sha1
            /// SHA-256: 64 digits.
            case sha256
            /// SHA-384: 96 digits.
            case sha384
            /// SHA-512: 128 digits.
            case sha512
        }

        /// A fast hash function: plain, salted, or repeated. Each round after the first hashes the lowercase digits
        /// of the round before, without the salt.
        ///
        /// - Parameters:
        ///   - function: The hash function.
        ///   - salt: The salt, of all users or of this one; empty if there is none.
        ///   - position: The position of the salt.
        ///   - rounds: The number of rounds, from 1 to ``Legacy/SaltedMD5/maximumRounds``.
        case digest(
            HashFunction,
            salt: [UInt8] = [],
            position: Legacy.SaltedMD5.SaltPosition = .suffix,
            rounds: Int = 1
        )

        /// Windows's NT hash: MD4 of the password in UTF-16, 32 digits. Bytes that are not UTF-8 are replaced by
        /// U+FFFD.
        case ntlm

        /// ``Legacy/HMACMD5`` of the password. The hash names its key, which is passed to ``PasswordContext``
        /// separately.
        case hmacMD5(keyID: String)

        /// A digest of digests of an old forum or shop.
        ///
        /// - Parameters:
        ///   - composite: The computation.
        ///   - salt: The salt of this user, at most 256 bytes; for ``Composite/smf`` the user's name. It can be empty.
        case composite(Composite, salt: [UInt8])

        /// ``Legacy/SaltedMD5``: plain, salted, or repeated.
        ///
        /// - Parameters:
        ///   - salt: The salt, of all users or of this one; empty if there is none.
        ///   - position: The position of the salt.
        ///   - rounds: The number of rounds, from 1 to ``Legacy/SaltedMD5/maximumRounds``.
        /// - Returns: The algorithm.
        public static func saltedMD5(
            salt: [UInt8] = [],
            position: Legacy.SaltedMD5.SaltPosition = .suffix,
            rounds: Int = 1
        ) -> Self {
            .digest(.md5, salt: salt, position: position, rounds: rounds)
        }

        /// The number of hexadecimal digits of a digest.
        package var digitCount: Int {
            switch self {
            case .digest(let function, _, _, _): 2 * function.digestByteCount
            case .ntlm, .hmacMD5: 32
            case .composite(let composite, _): 2 * composite.function.digestByteCount
            }
        }
    }

    /// Creates a hash from a bare hexadecimal digest and the algorithm that made it.
    ///
    /// ```swift
    /// let hash = try PasswordHash(
    ///     legacyHex: "f433c50293bc7afbe20b67ceb15a1e55",
    ///     algorithm: .digest(.md5, salt: Array("shop".utf8))
    /// )
    /// String(describing: hash)   // $hex-md5$position=suffix,salt=c2hvcA$f433c50293bc7afbe20b67ceb15a1e55
    /// ```
    ///
    /// The text is a notation of CredKit's own, and can be stored and verified like any other hash.
    ///
    /// > Important: A password-equivalent of ``Legacy/TimestampedLogin`` looks the same, but cannot be replaced by a
    /// > new hash: the server computes with it at every login, so it must stay unchanged as long as any old client
    /// > logs in.
    ///
    /// - Parameters:
    ///   - legacyHex: The hexadecimal digits of a digest, in either case.
    ///   - origin: The algorithm that made the digest.
    /// - Throws: ``PasswordError/malformed``.
    public init(legacyHex: some StringProtocol, algorithm origin: LegacyHexAlgorithm) throws(PasswordError) {
        let digest = try HexDigest.parse(legacyHex.lowercased(), byteCount: origin.digitCount / 2)
        switch origin {
        case .digest(let function, let salt, let position, let rounds):
            self.init(
                try HexDigestHash(
                    function: .fast(function),
                    digest: digest,
                    isPrefix: position == .prefix,
                    rounds: rounds,
                    salt: salt
                )
            )
        case .ntlm:
            self.init(try HexDigestHash(function: .ntlm, digest: digest))
        case .hmacMD5(let keyID):
            self.init(try HexHMACMD5Hash(keyID: keyID, digest: digest))
        case .composite(let composite, let salt):
            self.init(try HexCompositeHash(composite: composite, salt: salt, digest: digest))
        }
    }
}
