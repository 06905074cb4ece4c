// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// Solaris's MD5, `$md5$`. Verified only.
    public static let sunMD5 = Self("sun-md5")
}

/// `$md5,rounds=904$salt$$digest`. The stated rounds are added to 4,096. A single `$` before the digest denotes a
/// slightly different computation.
struct SunMD5Hash: CryptScheme {
    let rounds: Int
    private let saltText: String
    let head: String
    var tail: String

    static let schemes: [PasswordHash.Scheme] = [.sunMD5]

    static func recognizes(_ text: String) -> Bool { text.hasPrefix("$md5$") || text.hasPrefix("$md5,") }

    init(parsing text: String) throws(PasswordError) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 4 || fields.count == 5 && fields[3].isEmpty, let digest = fields.last else {
            throw .malformed("it must have the fields name, salt, digest")
        }
        if fields[1] == "md5" {
            rounds = 0
        } else {
            guard fields[1].hasPrefix("md5,rounds=") else { throw .malformed("the parameter is unknown") }
            rounds = Int(try PHCString.integer(fields[1].dropFirst(11), name: "rounds"))
            guard rounds > 0 else { throw .malformed("the rounds are 0") }
        }
        guard !fields[2].isEmpty, fields[2].utf8.count <= 64, CryptAlphabet.unix.contains(fields[2]) else {
            throw .malformed("the salt must be 1 to 64 characters of crypt(3)'s encoding")
        }
        guard digest.utf8.count == 22, CryptAlphabet.unix.isCanonical(digest) else {
            throw .malformed("the digest must be 22 characters of crypt(3)'s encoding")
        }
        saltText = String(fields[2])
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
