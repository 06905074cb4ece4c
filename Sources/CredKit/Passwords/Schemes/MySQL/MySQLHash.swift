// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// `PASSWORD()` of MySQL 4.1 and of MariaDB (`mysql_native_password`): SHA-1 of SHA-1, without a salt. Some 10¹⁰
    /// guesses a second, against all users at once. Verified only.
    public static let mysql41 = Self("mysql41")
}

/// `*` and 40 uppercase hexadecimal digits.
struct MySQLHash: ByteDigestScheme {
    var digest: [UInt8]

    static let schemes: [PasswordHash.Scheme] = [.mysql41]

    static func recognizes(_ text: String) -> Bool {
        // A lost or doubled digit makes a malformed hash, not a text of another scheme.
        text.hasPrefix("*") && BareDigits.areDigitsOfMySQL(text.utf8.span.extracting(1...))
    }

    init(parsing text: String) throws(PasswordError) {
        guard text.utf8.count == 41, text == text.uppercased(), let digest = try? Hex.decode(text.dropFirst())
        else {
            throw .malformed("it must be * and 40 uppercase hexadecimal digits")
        }
        self.digest = digest
    }

    var description: String { "*" + Hex.encode(digest).uppercased() }
    var scheme: PasswordHash.Scheme { .mysql41 }
    var weakness: String? {
        "two SHA-1 without a salt: some 10¹⁰ guesses a second on one graphics card, against all users at once"
    }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        let inner = try PasswordHash.LegacyHexAlgorithm.HashFunction.sha1.digest(of: password, salt: [])
        return try .copying(Legacy.SHA1.hash(secret: inner))
    }
}
