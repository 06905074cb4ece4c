// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// Solaris's MD5, `$md5$`. Verified only.
    public static let sunMD5 = Self("sun-md5")
}

/// `$md5,rounds=904$salt$$digest`, or `$md5$rounds=904$salt$$digest`. The stated rounds are added to 4,096; without them
/// there are 4,096. A single `$` before the digest denotes a slightly different computation: the salt then ends before
/// it. The salt may be empty.
struct SunMD5Hash: CryptScheme {
    let rounds: Int
    private let saltText: String
    let head: String
    var tail: String

    static let schemes: [PasswordHash.Scheme] = [.sunMD5]

    static func recognizes(_ text: String) -> Bool { text.hasPrefix("$md5$") || text.hasPrefix("$md5,") }

    init(parsing text: String) throws(PasswordError) {
        // Some versions of Solaris wrote a '$' before the rounds.
        var fields = text.dropFirst(5).split(separator: "$", omittingEmptySubsequences: false)[...]
        if let field = fields.first, field.hasPrefix("rounds=") {
            rounds = Int(try PHCString.integer(field.dropFirst(7), name: "rounds"))
            guard rounds > 0 else { throw .malformed("the rounds are 0") }
            fields.removeFirst()
        } else {
            guard text.hasPrefix("$md5$") else { throw .malformed("the parameter is unknown") }
            rounds = 0
        }
        guard fields.count == 2 || fields.count == 3 && fields.dropFirst().first?.isEmpty == true,
            let salt = fields.first, let digest = fields.last
        else { throw .malformed("it must have the fields name, salt, digest") }
        guard salt.utf8.count <= 64, CryptAlphabet.unix.contains(salt) else {
            throw .malformed("the salt must be at most 64 characters of crypt(3)'s encoding")
        }
        guard digest.utf8.count == 22, CryptAlphabet.unix.isCanonical(digest) else {
            throw .malformed("the digest must be 22 characters of crypt(3)'s encoding")
        }
        saltText = String(salt)
        head = String(text.dropLast(22))
        tail = String(digest)
    }

    var scheme: PasswordHash.Scheme { .sunMD5 }
    var weakness: String? { "rounds of MD5 without memory: some 10⁶ guesses a second on one graphics card" }
    var parameters: [PasswordHash.Parameter] { [.init("rounds", rounds + 4096)] }
    var salt: [UInt8] { Array(saltText.utf8) }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        ComputationCost(seconds: Double(rounds + 4096) * 1.5e-6)
    }
}
