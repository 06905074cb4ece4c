// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// bcrypt: `$2b$`, `$2y$`, and `$2a$`, which differs only for some passwords with bytes of 0xFF.
    ///
    /// Only the first 72 bytes of a password are hashed, and nothing behind a NUL. Longer passwords, and those with a NUL,
    /// are rejected when a hash is made, but not under a pepper, which counts all bytes; when a hash is verified they are
    /// truncated, as the tool that made the hash truncated them.
    public static let bcrypt = Self("bcrypt")

    /// `$2x$`: bcrypt of old versions of crypt_blowfish, whose bug with characters beyond ASCII makes several
    /// passwords match. Verified only.
    public static let bcryptX = Self("bcrypt-x")
}

/// `$2b$12$` with 22 characters of salt and 31 of digest. Django writes `bcrypt$` before it.
struct BcryptHash: CryptScheme {
    let isDjango: Bool
    let variant: String
    let cost: Int
    let saltText: String
    var tail: String

    /// The number of bytes of a password that are hashed. `newHash` of `PasswordContext+Computation` refuses longer
    /// ones, but not under a pepper; for a stored hash the rest is ignored below.
    static let significantByteCount = 72

    static let schemes: [PasswordHash.Scheme] = [.bcrypt, .bcryptX]

    private static let djangoPrefix = "bcrypt$"

    static func recognizes(_ text: String) -> Bool {
        text.hasPrefix("$2") || text.hasPrefix("\(djangoPrefix)$2")
    }

    init(parsing text: String) throws(PasswordError) {
        isDjango = !text.hasPrefix("$")
        let fields = String(text.dropFirst(isDjango ? Self.djangoPrefix.count : 0)).dollarFields
        guard fields.count == 4 else {
            throw .malformed("it must have three fields: variant, cost, salt and digest")
        }
        guard fields[2].utf8.count == 2, fields[2].utf8.allSatisfy({ 48...57 ~= $0 }),
            let cost = Int(fields[2]),
            4...31 ~= cost
        else { throw .malformed("the cost must be two digits from 04 to 31") }
        let (salt, digest) = (fields[3].prefix(22), fields[3].dropFirst(22))
        guard fields[3].utf8.count == 53, CryptAlphabet.bcrypt.isCanonical(salt, isBigEndian: true),
            CryptAlphabet.bcrypt.isCanonical(digest, isBigEndian: true)
        else { throw .malformed("salt and digest must be 53 characters of bcrypt's encoding") }
        guard ["2a", "2b", "2x", "2y"].contains(fields[1]) else {
            throw .unsupported(
                "the variant of bcrypt is unknown, or it is the one that truncated characters to 8 bits"
            )
        }
        variant = String(fields[1])
        self.cost = cost
        saltText = String(salt)
        tail = String(digest)
    }

    var description: String { (isDjango ? Self.djangoPrefix : "") + head + tail }

    /// The text of crypt(3), up to the digest.
    var head: String { "$\(variant)$\(cost < 10 ? "0" : "")\(cost)$\(saltText)" }
    var scheme: PasswordHash.Scheme { variant == "2x" ? .bcryptX : .bcrypt }
    var weakness: String? {
        variant == "2x" ? "a bug of old crypt_blowfish makes several passwords match" : nil
    }
    var parameters: [PasswordHash.Parameter] {
        [.init("cost", cost), .init("variant", variant)] + (isDjango ? [.init("notation", "django")] : [])
    }
    var salt: [UInt8] { Array(saltText.utf8) }

    /// For all variants: otherwise those beside a user with another one than new hashes have would notice that it takes no lane.
    var laneKernels: LaneKernels? { .chosenForBcrypt }

    func computationCost(passwordByteCount: Int) -> ComputationCost { Self.computationCost(cost: cost) }

    static func computationCost(cost: Int) -> ComputationCost {
        ComputationCost(seconds: Double(1 << cost) * 50e-6)
    }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        // Rejecting a long password here would lock out users whose passwords were truncated when the hash was made.
        let significant = password.extracting(first: Self.significantByteCount(of: password))
        if let seat = context.interruption.seat, let kernels = laneKernels {
            return try kernels.bcryptDigest(
                of: significant,
                variant: variant,
                salt: saltText,
                cost: cost,
                context.interruption,
                in: seat
            )
        }
        return try UnixCrypt.digest(of: significant, head: head, tail: tail)
    }

    func ignoresBytes(of password: Span<UInt8>) -> Bool {
        Self.significantByteCount(of: password) < password.count
    }

    private static func significantByteCount(of password: Span<UInt8>) -> Int {
        min(password.indices.first { password[$0] == 0 } ?? password.count, significantByteCount)
    }
}
