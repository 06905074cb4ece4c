// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// `{SSHA256}` and the Base64 of digest and salt (RFC 2307, and pw-sha2 of OpenLDAP).
struct LDAPHash: ByteDigestScheme {
    /// A scheme of LDAP.
    struct Variant: Sendable {
        /// The name between the braces, in lowercase.
        let name: String
        let function: PasswordHash.LegacyHexAlgorithm.HashFunction
        let isSalted: Bool
        let scheme: PasswordHash.Scheme

        static let all: [Variant] = [
            Variant(name: "sha", function: .sha1, isSalted: false, scheme: .ldapSHA),
            Variant(name: "ssha", function: .sha1, isSalted: true, scheme: .ldapSSHA),
            Variant(name: "md5", function: .md5, isSalted: false, scheme: .ldapMD5),
            Variant(name: "smd5", function: .md5, isSalted: true, scheme: .ldapSMD5),
            Variant(name: "sha256", function: .sha256, isSalted: false, scheme: .ldapSHA256),
            Variant(name: "ssha256", function: .sha256, isSalted: true, scheme: .ldapSSHA256),
            Variant(name: "sha384", function: .sha384, isSalted: false, scheme: .ldapSHA384),
            Variant(name: "ssha384", function: .sha384, isSalted: true, scheme: .ldapSSHA384),
            Variant(name: "sha512", function: .sha512, isSalted: false, scheme: .ldapSHA512),
            Variant(name: "ssha512", function: .sha512, isSalted: true, scheme: .ldapSSHA512),
        ]
    }

    private let prefix: LDAPPrefix
    private let variant: Variant
    let salt: [UInt8]
    var digest: [UInt8]

    static let schemes = Variant.all.map(\.scheme)

    static func recognizes(_ text: String) -> Bool { variant(of: text) != nil }

    private static func variant(of text: String) -> (LDAPPrefix, Variant)? {
        guard let prefix = LDAPPrefix(of: text) else { return nil }
        return Variant.all.first { prefix.names($0.name) }.map { (prefix, $0) }
    }

    init(parsing text: String) throws(PasswordError) {
        guard let (prefix, variant) = Self.variant(of: text) else { throw .unrecognized }
        let bytes = try prefix.decodeRest(of: text)
        let saltCount = bytes.count - variant.function.digestByteCount
        guard variant.isSalted ? 1...64 ~= saltCount : saltCount == 0 else {
            throw .malformed("the length of digest and salt is invalid")
        }
        self.prefix = prefix
        self.variant = variant
        digest = Array(bytes.prefix(variant.function.digestByteCount))
        salt = Array(bytes.dropFirst(variant.function.digestByteCount))
    }

    var description: String { prefix.text + Base64.standard.encode(digest + salt) }

    var scheme: PasswordHash.Scheme { variant.scheme }

    var weakness: String? {
        variant.isSalted
            ? "one fast hash: \(variant.function.guesses)"
            : "one fast hash without a salt: \(variant.function.guesses), against all users at once"
    }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        try variant.function.digest(of: password, salt: salt)
    }
}

extension PasswordHash.Scheme {
    /// LDAP's `{SHA}`: SHA-1 without a salt; also what `htpasswd -s` writes. Some 10¹⁰ guesses a second, against all
    /// users at once. Verified only.
    public static let ldapSHA = Self("ldap-sha")

    /// LDAP's `{SSHA}`: SHA-1 of password and salt. Some 10¹⁰ guesses a second. Verified only.
    public static let ldapSSHA = Self("ldap-ssha")

    /// LDAP's `{MD5}`: MD5 without a salt. Some 10¹⁰ guesses a second, against all users at once. Verified only.
    public static let ldapMD5 = Self("ldap-md5")

    /// LDAP's `{SMD5}`: MD5 of password and salt. Some 10¹⁰ guesses a second. Verified only.
    public static let ldapSMD5 = Self("ldap-smd5")

    /// LDAP's `{SHA256}`: SHA-256 without a salt. Some 10¹⁰ guesses a second, against all users at once. Verified
    /// only.
    public static let ldapSHA256 = Self("ldap-sha256")

    /// LDAP's `{SSHA256}`: SHA-256 of password and salt. Some 10¹⁰ guesses a second. Verified only.
    public static let ldapSSHA256 = Self("ldap-ssha256")

    /// LDAP's `{SHA384}`: SHA-384 without a salt. Some 10⁹ guesses a second, against all users at once. Verified only.
    public static let ldapSHA384 = Self("ldap-sha384")

    /// LDAP's `{SSHA384}`: SHA-384 of password and salt. Some 10⁹ guesses a second. Verified only.
    public static let ldapSSHA384 = Self("ldap-ssha384")

    /// LDAP's `{SHA512}`: SHA-512 without a salt. Some 10⁹ guesses a second, against all users at once. Verified only.
    public static let ldapSHA512 = Self("ldap-sha512")

    /// LDAP's `{SSHA512}`: SHA-512 of password and salt. Some 10⁹ guesses a second. Verified only.
    public static let ldapSSHA512 = Self("ldap-ssha512")

    /// Atlassian's `{PKCS5S2}`: PBKDF2 with HMAC-SHA-1 and 10,000 iterations, some 10⁶ guesses a second on one graphics
    /// card. Verified only.
    public static let atlassianPBKDF2 = Self("atlassian-pbkdf2")
}

/// The name in braces before a hash of LDAP, as it was written: `{SSHA}`, `{ssha}`. Its case has no meaning (RFC 2307).
struct LDAPPrefix: Sendable {
    /// The prefix with its braces.
    let text: String

    /// Reads the prefix of a text; `nil` if it has none.
    init?(of text: String) {
        guard text.utf8.first == UInt8(ascii: "{"), let end = text.utf8.firstIndex(of: UInt8(ascii: "}"))
        else { return nil }
        self.text = String(text[...end])
    }

    /// Returns whether the prefix is a name, given in lowercase.
    func names(_ name: String) -> Bool {
        text.utf8.count == name.utf8.count + 2
            && zip(text.utf8.dropFirst(), name.utf8).allSatisfy { byte, expected in
                byte == expected || 65...90 ~= byte && byte | 0x20 == expected
            }
    }

    /// Decodes the Base64 behind the prefix of a text.
    func decodeRest(of text: String) throws(PasswordError) -> [UInt8] {
        do throws(Base64.DecodingError) {
            return try Base64.standard.decode(text.dropFirst(self.text.count))
        } catch {
            throw .malformed("the text behind the scheme is not Base64: \(error)")
        }
    }
}
