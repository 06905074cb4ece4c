// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// scrypt in the notation of crypt(3), `$7$`. Verified only; for new hashes use ``scrypt`` or ``yescrypt``.
    public static let scryptCrypt = Self("scrypt-crypt")
}

/// `$7$`, one character for log₂ N, five for r, five for p, the salt; `$` and the digest.
struct ScryptCryptHash: CryptScheme {
    let costs: ScryptCosts
    private let costsText: String
    private let saltText: String
    var tail: String

    static let schemes: [PasswordHash.Scheme] = [.scryptCrypt]

    static func recognizes(_ text: String) -> Bool { text.hasPrefix("$7$") }

    init(parsing text: String) throws(PasswordError) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 4, fields[2].utf8.count >= 11 else {
            throw .malformed("it must have the fields name, costs and salt, digest")
        }
        let costsText = fields[2].prefix(11)
        let digits = costsText.utf8.compactMap { CryptAlphabet.unix.value(of: $0) }
        guard digits.count == 11 else { throw .malformed("the costs contain an invalid character") }
        func number(_ range: Range<Int>) -> Int {
            digits[range].reversed().reduce(0) { $0 << 6 | $1 }
        }
        let salt = fields[2].dropFirst(11)
        guard salt.utf8.count <= 86, UnixCrypt.isSalt(salt) else {
            throw .malformed("the salt must be at most 86 characters that are valid in a salt")
        }
        guard fields[3].utf8.count == 43, CryptAlphabet.unix.isCanonical(fields[3]) else {
            throw .malformed("the digest must be 43 characters of crypt(3)'s encoding")
        }
        costs = try ScryptCosts(stated: digits[0], blockSize: number(1..<6), parallelism: number(6..<11))
        self.costsText = String(costsText)
        saltText = String(salt)
        tail = String(fields[3])
    }

    var head: String { "$7$\(costsText)\(saltText)$" }
    var scheme: PasswordHash.Scheme { .scryptCrypt }
    var salt: [UInt8] { Array(saltText.utf8) }

    var parameters: [PasswordHash.Parameter] {
        [
            .init("log-n", costs.logN), .init("block-size", costs.blockSize),
            .init("parallelism", costs.parallelism),
        ]
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost { costs.computationCost }

    /// Computes the digest as that of any scrypt, which accepts every salt; libxcrypt rejects some that other tools make.
    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        let digest = try ScryptHash.computeDigest(
            of: password,
            salt: salt,
            costs: costs,
            count: 32,
            context
        )
        return try digest.withSecretBytes { (digest) throws(PasswordError) in
            try CryptAlphabet.unix.encode(digest)
        }
    }
}
