// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The registry: every scheme that CredKit knows. A new one is a folder and a line here.
enum PasswordSchemes {
    /// In the order in which they are asked whether a text is theirs. No two say yes to the same text.
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
        DjangoMD5Hash.self,
        LDAPHash.self,
        HexMD5Hash.self,
        HexHMACMD5Hash.self,
    ]

    /// The ways to make a new hash.
    static let makers: [PasswordMaker] = all.flatMap { $0.makers }

    /// The maker of a scheme, `nil` if it is only verified.
    static func maker(of scheme: PasswordHash.Scheme) -> PasswordMaker? {
        makers.first { $0.scheme == scheme }
    }

    /// Reads the text of a hash without a pepper.
    static func parse(_ text: String) throws(PasswordError) -> any PasswordScheme {
        guard let scheme = all.first(where: { $0.recognizes(text) }) else { throw .unrecognized }
        guard text.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
            throw .malformed("it has a byte that is not printable ASCII")
        }
        return try scheme.init(parsing: text)
    }

    /// Reads a hash that is a part of a text, whose beginning has said already that it is one of ours.
    static func parse(part text: String) throws(PasswordError) -> any PasswordScheme {
        do throws(PasswordError) {
            return try parse(text)
        } catch .unrecognized {
            throw .malformed("a part of it is no hash of a known scheme")
        }
    }
}
