// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The order of digest and salt behind a name in braces.
enum DigestLayout: Sendable, Hashable {
    /// The digest alone.
    case plain
    /// The digest and 1 to 64 bytes of salt, encoded together (RFC 2307).
    case saltLast
    /// So many bytes of salt and the digest, encoded together.
    case saltFirst(Int)
    /// The salt in braces, and the encoded digest. The braces are a part of the salt (Spring's
    /// `MessageDigestPasswordEncoder`).
    case bracedSalt
    /// The digest, and so many characters that are the salt.
    case textSalt(Int)
}

/// `{SSHA256}` and the Base64 of digest and salt (RFC 2307, pw-sha2 of OpenLDAP), and the digests of other systems
/// behind a name: see ``HashPrefixes``.
struct PrefixedDigestHash: ByteDigestScheme {
    private let prefix: String
    private let function: PrefixedDigestFunction
    private let layout: DigestLayout
    private let encoding: DigestEncoding
    /// The system's name; `nil` for LDAP.
    private let notation: String?
    let salt: [UInt8]
    var digest: [UInt8]

    private static let longestBracedSalt = 256

    /// Those that no other type lists.
    static let schemes: [PasswordHash.Scheme] = [
        .ldapSHA, .ldapSSHA, .ldapMD5, .ldapSMD5, .ldapSHA256, .ldapSSHA256, .ldapSHA384, .ldapSSHA384,
        .ldapSHA512, .ldapSSHA512, .ldapMD4, .netscapeMD5, .springSHA256,
    ]

    static func recognizes(_ text: String) -> Bool { PrefixedText(text)?.entry.isDigest == true }

    init(parsing text: String) throws(PasswordError) {
        guard let parts = PrefixedText(text),
            case .digest(let function, let layout, let usualEncoding) = parts.entry.content
        else { throw .unrecognized }
        prefix = parts.prefix
        self.function = function
        self.layout = layout
        notation = parts.entry.notation == "ldap" ? nil : parts.entry.notation
        let count = function.digestByteCount
        let (rest, encoding) = (parts.rest, parts.encoding ?? usualEncoding.matchingCase(of: parts.rest))
        switch layout {
        case .plain:
            self.encoding = encoding
            salt = []
            digest = try encoding.decode(rest)
        case .saltLast:
            self.encoding = encoding
            let bytes = try encoding.decode(rest)
            guard 1...64 ~= bytes.count - count else { throw Self.invalidLength }
            digest = Array(bytes.prefix(count))
            salt = Array(bytes.dropFirst(count))
        case .saltFirst(let saltCount):
            self.encoding = encoding
            let bytes = try encoding.decode(rest)
            digest = Array(bytes.dropFirst(saltCount))
            salt = Array(bytes.prefix(saltCount))
        case .bracedSalt:
            let (saltText, digestText) = Self.divide(rest)
            guard 2...Self.longestBracedSalt ~= saltText.utf8.count else {
                throw .malformed("the salt in braces must have at most \(Self.longestBracedSalt - 2) bytes")
            }
            // An option of the encoder makes it write Base64.
            let hex = DigestEncoding.hex.matchingCase(of: digestText)
            self.encoding = digestText.utf8.count == 2 * count ? hex : .base64
            salt = Array(saltText.utf8)
            digest = try self.encoding.decode(digestText)
        case .textSalt(let saltCount):
            guard rest.utf8.count == 2 * count + saltCount, rest.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
                throw Self.invalidLength
            }
            self.encoding = .hex
            digest = try DigestEncoding.hex.decode(String(rest.prefix(2 * count)))
            salt = Array(rest.utf8.suffix(saltCount))
        }
        guard digest.count == count else { throw Self.invalidLength }
    }

    private static var invalidLength: PasswordError { .malformed("the length of digest and salt is invalid") }

    /// Divides a text behind the closing brace of the salt that it begins with.
    private static func divide(_ text: String) -> (String, String) {
        let bytes = text.utf8
        let end = bytes.firstIndex(of: UInt8(ascii: "}")).map { bytes.index(after: $0) } ?? bytes.startIndex
        return (
            String(decoding: bytes[..<end], as: UTF8.self), String(decoding: bytes[end...], as: UTF8.self)
        )
    }

    var description: String {
        switch layout {
        case .plain, .saltLast: prefix + encoding.encode(digest + salt)
        case .saltFirst: prefix + encoding.encode(salt + digest)
        case .bracedSalt: prefix + String(decoding: salt, as: UTF8.self) + encoding.encode(digest)
        case .textSalt: prefix + encoding.encode(digest) + String(decoding: salt, as: UTF8.self)
        }
    }

    var scheme: PasswordHash.Scheme { function.scheme(isSalted: layout != .plain) }

    var weakness: String? { function.weakness(isSalted: layout != .plain) }

    var parameters: [PasswordHash.Parameter] { notation.map { [.init("notation", $0)] } ?? [] }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        function.computationCost(passwordByteCount: passwordByteCount)
    }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        try function.digest(of: password, salt: salt)
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
}
