// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash {
    /// The algorithm that made a bare hexadecimal MD5 of a table. The 32 digits do not identify it, so it is never
    /// guessed.
    public enum LegacyHexAlgorithm: Sendable {
        /// ``Legacy/SaltedMD5``: plain, salted, or repeated.
        ///
        /// - Parameters:
        ///   - salt: The salt, of all users or of this one; empty if there is none.
        ///   - position: The position of the salt.
        ///   - rounds: The number of rounds, from 1 to ``Legacy/SaltedMD5/maximumRounds``.
        case saltedMD5(salt: [UInt8] = [], position: Legacy.SaltedMD5.SaltPosition = .suffix, rounds: Int = 1)

        /// ``Legacy/HMACMD5`` of the password. The hash names its key, which is passed to ``PasswordContext``
        /// separately.
        case hmacMD5(keyID: String)
    }

    /// Creates a hash from a bare hexadecimal digest and the algorithm that made it.
    ///
    /// ```swift
    /// let hash = try PasswordHash(
    ///     legacyHex: "f433c50293bc7afbe20b67ceb15a1e55",
    ///     algorithm: .saltedMD5(salt: Array("shop".utf8))
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
    ///   - legacyHex: 32 hexadecimal digits in either case.
    ///   - origin: The algorithm that made the digest.
    /// - Throws: ``PasswordError/malformed``.
    public init(legacyHex: some StringProtocol, algorithm origin: LegacyHexAlgorithm) throws(PasswordError) {
        let digest = try HexDigest.parse(legacyHex.lowercased())
        switch origin {
        case .saltedMD5(let salt, let position, let rounds):
            self.init(
                try HexMD5Hash(digest: digest, isPrefix: position == .prefix, rounds: rounds, salt: salt)
            )
        case .hmacMD5(let keyID):
            self.init(try HexHMACMD5Hash(keyID: keyID, digest: digest))
        }
    }
}
