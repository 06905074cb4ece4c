// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// bigcrypt of Digital UNIX and HP-UX: the original crypt(3) for each 8 bytes of a password, up to 128. An attacker
    /// guesses each part by itself. Verified only. Hashes of at most 8 bytes are those of ``desCrypt``.
    ///
    /// Ultrix's crypt16 has the form of a bigcrypt hash of 9 to 16 bytes, and does not match.
    public static let bigcrypt = Self("bigcrypt")
}

/// Two characters of salt and eleven of digest for each 8 bytes of the password, from 2 times to 16.
struct BigcryptHash: CryptScheme {
    let head: String
    var tail: String

    private static let partCharacterCount = 11
    private static let possibleParts = 2...16
    /// The number of bytes of a password that are hashed.
    private static let significantByteCount = 128

    static let schemes: [PasswordHash.Scheme] = [.bigcrypt]

    static func recognizes(_ text: String) -> Bool {
        let (parts, rest) = (text.utf8.count - 2).quotientAndRemainder(dividingBy: partCharacterCount)
        return rest == 0 && possibleParts.contains(parts) && CryptAlphabet.unix.contains(text)
            && !PostgreSQLDigest.recognizes(text)
    }

    init(parsing text: String) throws(PasswordError) {
        head = String(text.prefix(2))
        tail = String(text.dropFirst(2))
        var rest = tail[...]
        while !rest.isEmpty {
            guard CryptAlphabet.unix.isCanonical(rest.prefix(Self.partCharacterCount), isBigEndian: true)
            else { throw .malformed("a part of the digest does not match crypt(3)'s encoding") }
            rest = rest.dropFirst(Self.partCharacterCount)
        }
    }

    var scheme: PasswordHash.Scheme { .bigcrypt }
    var weakness: String? {
        "each 8 characters are hashed separately: all values of each part can be tried"
    }
    var parameters: [PasswordHash.Parameter] { [.init("parts", partCount)] }
    var salt: [UInt8] { Array(head.utf8) }
    private var partCount: Int { tail.utf8.count / Self.partCharacterCount }

    func ignoresBytes(of password: Span<UInt8>) -> Bool { password.count > Self.significantByteCount }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        // A password is hashed whole, however many parts the text has.
        ComputationCost(seconds: Double(max(partCount, min(16, passwordByteCount / 8 + 1)) * 225) * 0.13e-6)
    }

    /// Computes the digest, which has as many parts as the password: other than the text's for a password of another
    /// length.
    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        try UnixCrypt.checkFitsCrypt(password)
        // The setting is longer than one of DES, so libxcrypt hashes all parts.
        let text = try UnixCrypt.hash(password, setting: head + tail)
        return try text.withSecretBytes { (text) throws(PasswordError) in
            try .copying(text.extracting(droppingFirst: 2))
        }
    }
}
