// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// HMAC-MD5 of the password in hexadecimal digits, under a key that all users share. An attacker with the key
    /// makes some 10¹⁰ guesses a second, against all users at once. Verified only.
    public static let hexHMACMD5 = Self("hex-hmac-md5")
}

/// `$hex-hmac-md5$keyid=app$digest`: a notation of CredKit's own. It contains the name of the key, not the key.
struct HexHMACMD5Hash: ByteDigestScheme {
    let keyID: String
    var digest: [UInt8]

    static let schemes: [PasswordHash.Scheme] = [.hexHMACMD5]

    static func recognizes(_ text: String) -> Bool { text.hasPrefix("$hex-hmac-md5$") }

    init(parsing text: String) throws(PasswordError) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 4, fields[2].hasPrefix("keyid=") else {
            throw .malformed("it must have the fields name, key identifier, digest")
        }
        try self.init(keyID: String(fields[2].dropFirst(6)), digest: HexDigest.parse(fields[3]))
    }

    init(keyID: String, digest: [UInt8]) throws(PasswordError) {
        try PasswordPepper.check(keyID: keyID)
        self.keyID = keyID
        self.digest = digest
    }

    var description: String { "$hex-hmac-md5$keyid=\(keyID)$\(Hex.encode(digest))" }
    var scheme: PasswordHash.Scheme { .hexHMACMD5 }
    var weakness: String? {
        "MD5 under a shared key: an attacker with it makes some 10¹⁰ guesses a second, against all users at once"
    }
    var parameters: [PasswordHash.Parameter] { [.init("key", keyID)] }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        guard let key = context.legacyKeys[keyID] else {
            throw .unknownKey("the HMAC-MD5 key '\(keyID)' of this hash is not available")
        }
        BackendCalls.note()
        let code = HMAC<Legacy.MD5>.authenticationCode(for: password, using: HMAC<Legacy.MD5>.Key(key))
        return try .copying(code)
    }
}
