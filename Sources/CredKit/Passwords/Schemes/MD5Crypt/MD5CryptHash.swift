// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// md5crypt, `$1$`: 1,000 rounds of MD5, some 10⁷ guesses a second on one graphics card. Verified only.
    public static let md5Crypt = Self("md5-crypt")

    /// Apache's variant of md5crypt, `$apr1$`, as weak as ``md5Crypt``. Verified only.
    public static let apr1 = Self("apr1")
}

/// `$1$salt$digest`, `$apr1$salt$digest`.
struct MD5CryptHash: CryptScheme {
    let isApache: Bool
    private let saltText: String
    var tail: String

    static let schemes: [PasswordHash.Scheme] = [.md5Crypt, .apr1]

    static func recognizes(_ text: String) -> Bool { text.hasPrefix("$1$") || text.hasPrefix("$apr1$") }

    init(parsing text: String) throws(PasswordError) {
        let fields = text.dollarFields
        guard fields.count == 4 else { throw .malformed("it must have three fields: name, salt, digest") }
        guard fields[2].utf8.count <= 8, UnixCrypt.isSalt(fields[2]) else {
            throw .malformed("the salt must be at most 8 characters that are valid in a salt")
        }
        guard fields[3].utf8.count == 22, CryptAlphabet.unix.isCanonical(fields[3]) else {
            throw .malformed("the digest must be 22 characters of crypt(3)'s encoding")
        }
        isApache = fields[1] == "apr1"
        saltText = String(fields[2])
        tail = String(fields[3])
    }

    private var magic: String { isApache ? "$apr1$" : "$1$" }
    var head: String { "\(magic)\(saltText)$" }
    var scheme: PasswordHash.Scheme { isApache ? .apr1 : .md5Crypt }
    var weakness: String? { "1,000 rounds of MD5: some 10⁷ guesses a second on one graphics card" }
    var parameters: [PasswordHash.Parameter] { [] }
    var salt: [UInt8] { Array(saltText.utf8) }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        let blocks = ComputationCost.blocks(passwordByteCount: 2 * passwordByteCount, blockByteCount: 64)
        return ComputationCost(seconds: 0.2e-3 * blocks)
    }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        guard isApache else {
            try UnixCrypt.checkFitsCrypt(password)
            return try UnixCrypt.digest(of: password, head: head, tail: tail)
        }
        // libxcrypt does not support `$apr1$`.
        return try MD5Crypt.digest(of: password, salt: salt, magic: magic)
    }
}
