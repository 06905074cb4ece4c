// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// bcrypt of a digest of the password, so that long passwords are hashed in full: Django's `bcrypt_sha256$$2b$` and
    /// passlib's `$bcrypt-sha256$`. Verified only; use ``argon2id``.
    ///
    /// Django, and passlib before 1.7.3, take SHA-256 without a salt. An attacker with SHA-256 digests of the same
    /// users' passwords from another site can try these, instead of passwords. Passlib 1.7.3 and later take HMAC with
    /// the salt.
    public static let bcryptSHA256 = Self("bcrypt-sha256")

    /// WordPress 6.8 and later, `$wp$2y$`: bcrypt of HMAC-SHA-384 of the password. Verified only; use ``argon2id``.
    ///
    /// WordPress removes white space from both ends of a password before it hashes it, and CredKit does the same.
    public static let wordPressBcrypt = Self("wordpress-bcrypt")
}

/// bcrypt of a digest of the password.
///
/// | tool | text | input of bcrypt |
/// |---|---|---|
/// | Django | `bcrypt_sha256$$2b$12$salt+digest` | hexadecimal SHA-256 |
/// | passlib 1.6 | `$bcrypt-sha256$2a,12$salt$digest` | Base64 of SHA-256 |
/// | passlib 1.7.3 | `$bcrypt-sha256$v=2,t=2b,r=12$salt$digest` | Base64 of HMAC-SHA-256; the key is the salt's text |
/// | WordPress 6.8 | `$wp$2y$12$salt+digest` | Base64 of HMAC-SHA-384 of the trimmed password, key `wp-sha384` |
struct PrehashedBcryptHash: LayerableScheme {
    enum Notation: String, Sendable {
        case django
        case passlib1 = "passlib-1"
        case passlib2 = "passlib-2"
        case wordPress = "wordpress"
    }

    let notation: Notation
    private var bcrypt: BcryptHash

    static let schemes: [PasswordHash.Scheme] = [.bcryptSHA256, .wordPressBcrypt]

    private static let djangoPrefix = "bcrypt_sha256$"
    private static let passlibPrefix = "$bcrypt-sha256$"
    private static let wordPressPrefix = "$wp"

    static func recognizes(_ text: String) -> Bool {
        text.hasPrefix(djangoPrefix) || text.hasPrefix(passlibPrefix) || text.hasPrefix("\(wordPressPrefix)$")
    }

    init(parsing text: String) throws(PasswordError) {
        let bcryptText: String
        if text.hasPrefix(Self.djangoPrefix) {
            notation = .django
            bcryptText = String(text.dropFirst(Self.djangoPrefix.count))
        } else if text.hasPrefix(Self.wordPressPrefix) {
            notation = .wordPress
            bcryptText = String(text.dropFirst(Self.wordPressPrefix.count))
        } else {
            (notation, bcryptText) = try Self.passlib(text.dropFirst(Self.passlibPrefix.count))
        }
        bcrypt = try BcryptHash(parsing: bcryptText)
        guard !bcrypt.isDjango, bcrypt.variant != "2x" else {
            throw .malformed("the hash behind the prefix must be bcrypt's: $2a$, $2b$ or $2y$")
        }
    }

    /// Returns the notation and the text of bcrypt for the fields costs, salt, digest of passlib.
    private static func passlib(_ text: Substring) throws(PasswordError) -> (Notation, String) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 3 else { throw .malformed("it must have the fields name, costs, salt, digest") }
        let costs = fields[0].split(separator: ",", omittingEmptySubsequences: false)
        let notation: Notation
        let variant: Substring
        if costs.count == 3, costs[0] == "v=2", costs[1] == "t=2b", costs[2].hasPrefix("r=") {
            (notation, variant) = (.passlib2, "2b")
        } else if costs.count == 2, costs[0] == "2a" || costs[0] == "2b" {
            (notation, variant) = (.passlib1, costs[0])
        } else {
            throw .malformed("the costs must be 2b,12 or v=2,t=2b,r=12")
        }
        let digits = costs[costs.count - 1].dropFirst(notation == .passlib2 ? 2 : 0)
        let cost = try PHCString.integer(digits, name: "cost")
        guard fields[1].utf8.count == 22 else { throw .malformed("the salt must have 22 characters") }
        return (notation, "$\(variant)$\(cost < 10 ? "0" : "")\(cost)$\(fields[1])\(fields[2])")
    }

    var description: String {
        switch notation {
        case .django: Self.djangoPrefix + bcrypt.description
        case .wordPress: Self.wordPressPrefix + bcrypt.description
        case .passlib1:
            "\(Self.passlibPrefix)\(bcrypt.variant),\(bcrypt.cost)$\(bcrypt.saltText)$\(bcrypt.tail)"
        case .passlib2:
            "\(Self.passlibPrefix)v=2,t=\(bcrypt.variant),r=\(bcrypt.cost)$\(bcrypt.saltText)$\(bcrypt.tail)"
        }
    }

    var scheme: PasswordHash.Scheme { notation == .wordPress ? .wordPressBcrypt : .bcryptSHA256 }
    var weakness: String? {
        notation == .django || notation == .passlib1
            ? "its SHA-256 has no salt: digests stolen from another site can be tried in place of passwords"
            : nil
    }
    var parameters: [PasswordHash.Parameter] {
        [.init("cost", bcrypt.cost), .init("variant", bcrypt.variant), .init("notation", notation.rawValue)]
    }
    var salt: [UInt8] { bcrypt.salt }
    var digest: [UInt8] { bcrypt.digest }

    var setting: Self {
        var copy = self
        copy.bcrypt = bcrypt.setting
        return copy
    }

    var laneKernels: LaneKernels? { bcrypt.laneKernels }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        bcrypt.computationCost(passwordByteCount: 64)
    }

    func ignoresBytes(of password: Span<UInt8>) -> Bool {
        notation == .wordPress && Self.trimmedRange(of: password).count < password.count
    }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        let input = try prehash(of: password)
        return try input.withSecretBytes { (input) throws(PasswordError) in
            try bcrypt.computeDigest(of: input, context)
        }
    }
}
