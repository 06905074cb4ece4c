// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash {
    /// What made a bare hexadecimal MD5 of a table. Nothing in 32 digits says it, so it is never guessed.
    public enum HexDigestOrigin: Sendable {
        /// ``Legacy/SaltedMD5``: plain, salted, repeated.
        ///
        /// - Parameters:
        ///   - salt: The salt, of all users or of this one; empty for none.
        ///   - position: Where it stands.
        ///   - rounds: The rounds, from 1 to ``Legacy/SaltedMD5/maximumRounds``.
        case saltedMD5(salt: [UInt8] = [], position: Legacy.SaltedMD5.SaltPosition = .suffix, rounds: Int = 1)

        /// ``Legacy/HMACMD5`` of the password. The hash names its key, which ``PasswordHasher`` is given apart.
        case hmacMD5(keyID: String)
    }

    /// A bare hexadecimal digest together with what made it.
    ///
    /// ```swift
    /// let hash = try PasswordHash(
    ///     hexDigest: "f433c50293bc7afbe20b67ceb15a1e55",
    ///     madeBy: .saltedMD5(salt: Array("shop".utf8))
    /// )
    /// String(describing: hash)   // $hex-md5$position=suffix,salt=c2hvcA$f433c50293bc7afbe20b67ceb15a1e55
    /// ```
    ///
    /// The text is a notation of CredKit's own, and can be stored and verified like any other hash.
    ///
    /// > Important: A password-equivalent of ``Legacy/TimestampedLogin`` looks the same, and is not a hash that could
    /// > be replaced: the server computes with it at every login, so it must stay as it is for as long as one old
    /// > client logs in.
    ///
    /// - Parameters:
    ///   - hexDigest: 32 hexadecimal digits in either case.
    ///   - origin: What made it.
    /// - Throws: ``PasswordError/malformed``.
    public init(hexDigest: some StringProtocol, madeBy origin: HexDigestOrigin) throws(PasswordError) {
        let digest = try HexDigest.parse(hexDigest.lowercased())
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
