// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// SHA-crypt with SHA-256, `$5$`. It takes hardly any memory, so graphics cards compute it fast; use ``yescrypt``
    /// if crypt(3) must verify it, otherwise ``argon2id``.
    public static let sha256Crypt = Self("sha256-crypt")

    /// SHA-crypt with SHA-512, `$6$`; see ``sha256Crypt``.
    public static let sha512Crypt = Self("sha512-crypt")
}

/// `$6$rounds=656000$salt$digest`, or without the second field for 5,000 rounds; `$5$` for SHA-256.
/// Source: [Unix crypt using SHA-256 and SHA-512](https://www.akkadia.org/drepper/SHA-crypt.txt).
struct SHACryptHash: CryptScheme {
    enum Variant: String, Sendable {
        case sha256 = "5"
        case sha512 = "6"
        var digestCharacterCount: Int { self == .sha256 ? 43 : 86 }
        var blockByteCount: Int { self == .sha256 ? 64 : 128 }
        var roundSeconds: Double { self == .sha256 ? 0.21e-6 : 0.26e-6 }
    }

    static let defaultRounds = 5000
    static let possibleRounds = 1000...999_999_999

    let variant: Variant
    let rounds: Int
    private let roundsText: String
    private let saltText: String
    var tail: String

    static let schemes: [PasswordHash.Scheme] = [.sha512Crypt, .sha256Crypt]

    static func recognizes(_ text: String) -> Bool { text.hasPrefix("$5$") || text.hasPrefix("$6$") }

    init(parsing text: String) throws(PasswordError) {
        var fields = text.dollarFields[...].dropFirst()
        guard let variant = fields.popFirst().flatMap({ Variant(rawValue: String($0)) }) else {
            throw .malformed("it is neither $5$ nor $6$")
        }
        self.variant = variant
        if let field = fields.first, field.hasPrefix("rounds=") {
            rounds = Int(try PHCString.integer(field.dropFirst(7), name: "rounds"))
            guard Self.possibleRounds.contains(rounds) else {
                throw .malformed("the rounds must be from 1000 to 999999999")
            }
            roundsText = "\(field)$"
            fields.removeFirst()
        } else {
            rounds = Self.defaultRounds
            roundsText = ""
        }
        guard let salt = fields.popFirst(), let digest = fields.popFirst(), fields.isEmpty else {
            throw .malformed("salt and digest must be the last two fields")
        }
        guard salt.utf8.count <= 16, UnixCrypt.isSalt(salt) else {
            throw .malformed("the salt must be at most 16 characters that are valid in a salt")
        }
        guard digest.utf8.count == variant.digestCharacterCount, CryptAlphabet.unix.isCanonical(digest) else {
            throw .malformed(
                "the digest must be \(variant.digestCharacterCount) characters of crypt(3)'s encoding"
            )
        }
        saltText = String(salt)
        tail = String(digest)
    }

    var head: String { "$\(variant.rawValue)$\(roundsText)\(saltText)$" }
    var scheme: PasswordHash.Scheme { variant == .sha256 ? .sha256Crypt : .sha512Crypt }
    var weakness: String? { "it takes hardly any memory, so graphics cards compute it fast" }
    var parameters: [PasswordHash.Parameter] { [.init("rounds", rounds)] }
    var salt: [UInt8] { Array(saltText.utf8) }

    /// Computes the digest with the kernels, or with libxcrypt. The text was checked when it was parsed, so that both take the
    /// same salt and rounds from it.
    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        try UnixCrypt.checkFitsCrypt(password)
        guard let kernels = SHACryptKernels(variant, passwordByteCount: password.count) else {
            return try UnixCrypt.digest(of: password, head: head, tail: tail)
        }
        let digest = try kernels.digest(
            of: password,
            salt: salt,
            rounds: rounds,
            context.argon2.interruption
        )
        return try digest.withSecretBytes { (digest) throws(PasswordError) in
            try CryptAlphabet.unix.encode(digest)
        }
    }

    var laneKernels: LaneKernels? { LaneKernels(variant) }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        Self.computationCost(variant: variant, rounds: rounds, passwordByteCount: passwordByteCount)
    }

    static func computationCost(variant: Variant, rounds: Int, passwordByteCount: Int) -> ComputationCost {
        // Each round hashes the password once or twice.
        let blocks = ComputationCost.blocks(
            passwordByteCount: 2 * passwordByteCount,
            blockByteCount: variant.blockByteCount
        )
        return ComputationCost(seconds: Double(rounds) * variant.roundSeconds * blocks)
    }
}
