// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The registry of all schemes that CredKit supports. A new scheme needs a folder and an entry here;
/// docs/architecture.md lists what else.
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
        LDAPHash.self,
        LDAPCryptHash.self,
        AtlassianHash.self,
        MySQLHash.self,
        HexDigestHash.self,
        HexHMACMD5Hash.self,
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
            if let refusal = ReplayableSCRAM.refusal(of: text) { throw refusal }
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
