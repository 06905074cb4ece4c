// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// MediaWiki's types A and B: MD5 of the password, and MD5 of a salt and the digits of that. Some 10¹⁰ guesses a second.
    /// Verified only. MediaWiki's other types have the schemes of their hashes.
    public static let mediaWikiMD5 = Self("mediawiki-md5")
}

/// `:A:digest`, and `:B:salt:digest`, the MD5 of the salt, a hyphen and the digits of the password's MD5. MediaWiki takes a
/// type A with a salt for a type B.
///
/// Source: `MWOldPassword` and `MWSaltedPassword` of [MediaWiki](https://www.mediawiki.org/wiki/Manual:User_table).
struct MediaWikiMD5Hash: ByteDigestScheme {
    private let type: String
    /// The salt; `nil` if the text has none, which differs from an empty one.
    private let saltText: String?
    var digest: [UInt8]

    static let schemes: [PasswordHash.Scheme] = [.mediaWikiMD5]

    static func recognizes(_ text: String) -> Bool { text.hasPrefix(":A:") || text.hasPrefix(":B:") }

    init(parsing text: String) throws(PasswordError) {
        let fields = text.split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count == 4 || fields.count == 3 && fields[1] == "A" else {
            throw .malformed(
                "it must have the fields type, salt, digest, or without a salt type A and digest"
            )
        }
        guard fields.count == 3 || fields[2].utf8.count <= 256 else {
            throw .malformed("the salt has more than 256 bytes")
        }
        type = String(fields[1])
        saltText = fields.count == 4 ? String(fields[2]) : nil
        digest = try HexDigest.parse(fields[fields.count - 1])
    }

    var description: String { ":\(type):" + (saltText.map { "\($0):" } ?? "") + Hex.encode(digest) }
    var scheme: PasswordHash.Scheme { .mediaWikiMD5 }
    var systems: [String] { ["MediaWiki"] }
    var weakness: String? {
        let guesses = PasswordHash.LegacyHexAlgorithm.HashFunction.md5.guesses
        return saltText == nil
            ? "one MD5 without a salt: \(guesses), against all users at once" : "two MD5: \(guesses)"
    }
    var salt: [UInt8] { saltText.map { Array($0.utf8) } ?? [] }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        BackendCalls.note()
        return try .copying(Self.digest(of: password, saltText: saltText))
    }

    /// Computes the digest; without a salt, that of the password alone.
    static func digest(of password: Span<UInt8>, saltText: String?) -> Legacy.MD5.Digest {
        let inner = Legacy.MD5.hash(secret: password)
        guard let saltText else { return inner }
        let head = Array("\(saltText)-".utf8)
        return inner.withSecretHex { digits in Legacy.MD5.hash(secret: head.span, followedBy: digits) }
    }
}
