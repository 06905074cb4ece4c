// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The registry of all schemes that CredKit supports. A new scheme needs a folder and an entry here;
/// CONTRIBUTING.md lists what else.
enum PasswordSchemes {
    /// The schemes, in the order in which they are asked whether they recognize a text. No two recognize the same
    /// text.
    static let all: [any PasswordScheme.Type] = [
        Argon2Hash.self,
        ScryptHash.self,
        PBKDF2Hash.self,
        BcryptHash.self,
        YescryptHash.self,
        SHACryptHash.self,
        LayeredHash.self,
        MD5CryptHash.self,
        SHA1CryptHash.self,
        SunMD5Hash.self,
        ScryptCryptHash.self,
        NTHash.self,
        DESCryptHash.self,
        BigcryptHash.self,
        PrehashedBcryptHash.self,
        PHPassHash.self,
        DjangoCryptHash.self,
        FrameworkDigestHash.self,
        AmbiguousFrameworkHash.self,
        UnusableHash.self,
        PrefixedDigestHash.self,
        PrefixedCryptHash.self,
        PrefixedTextHash.self,
        AtlassianHash.self,
        MySQLHash.self,
        HexDigestHash.self,
        HexHMACMD5Hash.self,
        HexCompositeHash.self,
        JoomlaSHA256Hash.self,
        FirebaseHash.self,
        KeycloakPBKDF2Hash.self,
        KeycloakArgon2Hash.self,
        MediaWikiMD5Hash.self,
        MediaWikiPBKDF2Hash.self,
        MediaWikiArgon2Hash.self,
        MediaWikiBcryptHash.self,
        SCRAMHash.self,
    ]

    /// The algorithms for new hashes.
    static let algorithms: [PasswordAlgorithm] = all.flatMap { $0.algorithms }

    /// Returns the algorithm for new hashes of a scheme; `nil` if the scheme is only verified.
    static func algorithm(of scheme: PasswordHash.Scheme) -> PasswordAlgorithm? {
        algorithms.first { $0.scheme == scheme }
    }

    /// Parses the text of a hash without a pepper.
    static func parse(_ text: String) throws(PasswordError) -> any PasswordScheme {
        guard let scheme = all.first(where: { $0.recognizes(text) }) else {
            // Werkzeug's method without a hash.
            guard !text.hasPrefix("plain$") else {
                throw .unsupported("the password itself is stored; hash it, and replace it everywhere")
            }
            guard !PostgreSQLDigest.recognizes(text) else { throw PostgreSQLDigest.error }
            if let refusal = ReplayableSCRAM.refusal(of: text) ?? HashPrefixes.refusal(of: text) {
                throw refusal
            }
            throw HexDigest.ambiguity(of: text) ?? .unrecognized
        }
        guard text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
            throw .malformed("it contains a byte that is not printable ASCII")
        }
        return try scheme.init(parsing: text)
    }

    /// Parses a hash that is part of a text whose beginning was already recognized.
    static func parse(part text: String) throws(PasswordError) -> any PasswordScheme {
        do throws(PasswordError) {
            return try parse(text)
        } catch .unrecognized {
            throw .malformed("a part of it has an unrecognized hash format")
        }
    }
}

/// Texts with SCRAM keys that are refused, because a thief of the table logs in with what they hold.
enum ReplayableSCRAM {
    /// Returns why a text is refused; `nil` if it is not one of these.
    static func refusal(of text: String) -> PasswordError? {
        if text.hasPrefix("$scram$") {
            return .unsupported(
                "passlib's scram holds SCRAM's salted passwords, with which each old copy of the table logs in; make a verifier "
                    + "at a login"
            )
        }
        let parts = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, SCRAMHash.recognizes(String(parts[1])),
            MessageDigest<16>(hex: parts[0]) != nil
        else { return nil }
        return .unsupported(
            "the password-equivalent beside the SCRAM verifier still logs in; remove it ('credkit upgrade --to scram-sha-256')"
        )
    }
}

/// Django's `crypt$salt$` before a hash of the original crypt(3), until Django 4. Its own salt is empty, or begins with
/// the two characters that crypt(3) uses: Django 1.3 and older had five, passlib has two.
struct DjangoCryptHash: PrefixedCryptScheme {
    let prefixText: String
    var inner: any CryptScheme

    static let notation = "django"

    static func recognizes(_ text: String) -> Bool { text.hasPrefix("crypt$") }

    init(parsing text: String) throws(PasswordError) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 3, fields[2].utf8.count == 13, CryptAlphabet.unix.contains(fields[2]) else {
            throw .malformed("it must have the fields crypt, salt, and 13 characters of crypt(3)")
        }
        let salt = fields[1]
        guard [0, 2, 5].contains(salt.utf8.count), salt.isEmpty || fields[2].hasPrefix(salt.prefix(2)),
            CryptAlphabet.unix.contains(salt)
        else { throw .malformed("the salt must be empty, or 2 or 5 characters that begin with crypt(3)'s") }
        prefixText = "crypt$\(salt)$"
        inner = try DESCryptHash(parsing: String(fields[2]))
    }
}

extension PasswordHash.Scheme {
    /// Windows's NT hash in the notation of crypt(3), `$3$`: MD4 without a salt, some 10¹¹ guesses a second. Verified
    /// only. Characters beyond ASCII are hashed byte by byte like libxcrypt does, not like Windows does.
    public static let ntHash = Self("nt")
}

/// `$3$$` and 32 hexadecimal digits.
struct NTHash: CryptScheme {
    var tail: String

    static let zeroDigit: Character = "0"

    static let schemes: [PasswordHash.Scheme] = [.ntHash]

    static func recognizes(_ text: String) -> Bool { text.hasPrefix("$3$") }

    init(parsing text: String) throws(PasswordError) {
        let digits = text.dropFirst(4)
        guard text.hasPrefix("$3$$"), digits.utf8.count == 32,
            digits.utf8.allSatisfy({ 48...57 ~= $0 || 97...102 ~= $0 })
        else { throw .malformed("it must be $3$$ and 32 lowercase hexadecimal digits") }
        tail = String(digits)
    }

    var head: String { "$3$$" }
    var scheme: PasswordHash.Scheme { .ntHash }
    var weakness: String? { NTLM.weakness }
    var parameters: [PasswordHash.Parameter] { [] }
    var salt: [UInt8] { [] }

    func computationCost(passwordByteCount: Int) -> ComputationCost { ComputationCost(seconds: 10e-6) }
}
