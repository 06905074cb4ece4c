// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The function of a digest behind a name in braces, and the place of the salt in its input.
enum PrefixedDigestFunction: Sendable, Hashable {
    /// A hash function over the password and the salt.
    case fast(PasswordHash.LegacyHexAlgorithm.HashFunction)
    /// MD4 of the password and the salt.
    case md4
    /// Windows's NT hash, without a salt.
    case ntlm
    /// MD5 of the salt, 0x59, the password, 0xF7, and the salt again: Netscape's mail server.
    case netscapeMD5
    /// SHA-256, 1,024 times: first of the salt and the password, then of the digest before. Spring's
    /// `StandardPasswordEncoder`.
    case springSHA256
    /// md5crypt. Its digest is in the order of the bytes that MD5 has.
    case md5Crypt(isApache: Bool)

    private static let springRounds = 1024

    var digestByteCount: Int {
        switch self {
        case .fast(let function): function.digestByteCount
        case .md4, .ntlm, .netscapeMD5, .md5Crypt: 16
        case .springSHA256: 32
        }
    }

    func scheme(isSalted: Bool) -> PasswordHash.Scheme {
        switch (self, isSalted) {
        case (.fast(.md5), false): .ldapMD5
        case (.fast(.md5), true): .ldapSMD5
        case (.fast(.sha1), false): .ldapSHA
        case (.fast(.sha1), true): .ldapSSHA
        case (.fast(.sha256), false): .ldapSHA256
        case (.fast(.sha256), true): .ldapSSHA256
        case (.fast(.sha384), false): .ldapSHA384
        case (.fast(.sha384), true): .ldapSSHA384
        case (.fast(.sha512), false): .ldapSHA512
        case (.fast(.sha512), true): .ldapSSHA512
        case (.md4, _): .ldapMD4
        case (.ntlm, _): .hexNTLM
        case (.netscapeMD5, _): .netscapeMD5
        case (.springSHA256, _): .springSHA256
        case (.md5Crypt(let isApache), _): isApache ? .apr1 : .md5Crypt
        }
    }

    func weakness(isSalted: Bool) -> String {
        switch self {
        case .fast(let function):
            isSalted
                ? "one fast hash: \(function.guesses)"
                : "one fast hash without a salt: \(function.guesses), against all users at once"
        case .md4:
            isSalted
                ? "one MD4: some 10¹¹ guesses a second on one graphics card"
                : "MD4 without a salt: some 10¹¹ guesses a second, against all users at once"
        case .ntlm: NTLM.weakness
        case .netscapeMD5: "one MD5: some 10¹⁰ guesses a second on one graphics card"
        case .springSHA256: "1,024 rounds of SHA-256: some 10⁷ guesses a second on one graphics card"
        case .md5Crypt: "1,000 rounds of MD5: some 10⁷ guesses a second on one graphics card"
        }
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        switch self {
        case .fast, .md4, .ntlm, .netscapeMD5: ComputationCost(seconds: 10e-6)
        case .springSHA256: ComputationCost(seconds: Double(Self.springRounds) * 0.5e-6)
        case .md5Crypt:
            ComputationCost(
                seconds: 0.2e-3
                    * ComputationCost.blocks(passwordByteCount: 2 * passwordByteCount, blockByteCount: 64)
            )
        }
    }

    func digest(of password: Span<UInt8>, salt: [UInt8]) throws(PasswordError) -> SecretBytes {
        switch self {
        case .fast(let function):
            return try function.digest(of: password, salt: salt)
        case .md4:
            BackendCalls.note()
            return try .copying(MD4.saltedHash(of: password, salt: salt))
        case .ntlm:
            return try NTLM.digest(of: password)
        case .netscapeMD5:
            BackendCalls.note()
            var function = Legacy.MD5()
            function.update(salt.span)
            function.update(data: CollectionOfOne(UInt8(0x59)))
            function.update(password)
            function.update(data: CollectionOfOne(UInt8(0xF7)))
            function.update(salt.span)
            return try .copying(function.finalizeAndWipe())
        case .springSHA256:
            BackendCalls.note()
            var digest = SHA256.saltedHash(of: password, salt: salt, isPrefix: true)
            for _ in 1..<Self.springRounds {
                digest = digest.withContiguousSpan { SHA256.hash(secret: $0) }
            }
            return try .copying(digest)
        case .md5Crypt(let isApache):
            return try .copying(
                MD5Crypt.rawDigest(of: password, salt: salt, magic: isApache ? "$apr1$" : "$1$")
            )
        }
    }
}

extension PasswordHash.Scheme {
    /// Dovecot's `{PLAIN-MD4}` and Spring's `{MD4}`: MD4 of the password, or of the password and a salt. Some 10¹¹
    /// guesses a second. Verified only; use ``argon2id``.
    public static let ldapMD4 = Self("ldap-md4")

    /// `{NS-MTA-MD5}` of Netscape's mail server, which 389 Directory Server and OpenLDAP read: MD5 of the password
    /// between two copies of the salt. Some 10¹⁰ guesses a second. Verified only; use ``argon2id``.
    public static let netscapeMD5 = Self("netscape-md5")

    /// `{sha256}` of Spring Security's `StandardPasswordEncoder`: 1,024 rounds of SHA-256 with a salt, some 10⁷ guesses
    /// a second. Verified only; use ``argon2id``.
    public static let springSHA256 = Self("spring-sha256")
}
