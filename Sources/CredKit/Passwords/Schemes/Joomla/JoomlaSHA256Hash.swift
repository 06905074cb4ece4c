// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// Joomla's `{SHA256}hex:salt`: SHA-256 of password and salt. Some 10¹⁰ guesses a second. Verified only. Its MD5 does
    /// not name its algorithm; see ``PasswordHash/LegacyHexAlgorithm``.
    public static let joomlaSHA256 = Self("joomla-sha256")
}

/// `{SHA256}`, 64 hexadecimal digits, a colon and the salt in plain text, as Joomla 2.5.18 and 3.2.1 wrote it. LDAP's
/// `{SHA256}` is Base64, which has no colon.
///
/// Source: `UserHelper::verifyPassword` of [Joomla](https://github.com/joomla/joomla-cms).
struct JoomlaSHA256Hash: ByteDigestScheme {
    private let saltText: String
    var digest: [UInt8]

    private static let prefix = "{SHA256}"

    static let schemes: [PasswordHash.Scheme] = [.joomlaSHA256]

    static func recognizes(_ text: String) -> Bool {
        guard case .joomla? = PrefixedText(text)?.entry.content else { return false }
        return true
    }

    init(parsing text: String) throws(PasswordError) {
        guard text.hasPrefix(Self.prefix) else { throw .malformed("Joomla writes {SHA256} in capitals") }
        let fields = text.dropFirst(Self.prefix.utf8.count)
            .split(separator: ":", omittingEmptySubsequences: false)
        // Joomla reads the salt up to the next colon, and then compares the whole text, so that nothing matches.
        guard fields.count == 2 else { throw .malformed("it must have the fields digest and salt") }
        guard fields[1].utf8.count <= 256 else { throw .malformed("the salt has more than 256 bytes") }
        digest = try HexDigest.parse(fields[0], byteCount: 32)
        saltText = String(fields[1])
    }

    var description: String { "\(Self.prefix)\(Hex.encode(digest)):\(saltText)" }
    var scheme: PasswordHash.Scheme { .joomlaSHA256 }
    var systems: [String] { ["Joomla"] }
    var weakness: String? { "one SHA-256: \(PasswordHash.LegacyHexAlgorithm.HashFunction.sha256.guesses)" }
    var salt: [UInt8] { Array(saltText.utf8) }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        try PasswordHash.LegacyHexAlgorithm.HashFunction.sha256.digest(of: password, salt: salt)
    }
}
