// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// phpass's portable hashes: `$P$` of WordPress before 6.8 and many others, `$H$` of phpBB 3. Rounds of MD5, some
    /// 10⁷ guesses a second on one graphics card. Verified only.
    ///
    /// WordPress removed white space from both ends of a password before it hashed it; phpass itself does not, and
    /// neither does CredKit.
    public static let phpass = Self("phpass")

    /// Drupal 7 to 10.0, `$S$`: rounds of SHA-512 in phpass's format, of which 258 bits are kept. It takes hardly any
    /// memory, so graphics cards compute it fast. Verified only.
    public static let drupal7 = Self("drupal7")
}

/// `$P$`, one character for the binary logarithm of the rounds, eight of salt, 22 of digest. With `U` before it, the
/// hash is of the hexadecimal MD5 of the password: Drupal 7 made these from Drupal 6's MD5.
/// Source: [phpass](https://www.openwall.com/phpass/).
struct PHPassHash: LayerableScheme {
    enum Variant: String, CaseIterable, Sendable {
        case portable = "$P$"
        case phpBB = "$H$"
        case drupal = "$S$"

        var digestCharacterCount: Int { self == .drupal ? 43 : 22 }
        var blockByteCount: Int { self == .drupal ? 128 : 64 }
        var roundSeconds: Double { self == .drupal ? 0.3e-6 : 0.13e-6 }
    }

    static let possibleLogRounds = 7...30
    private static let saltCharacterCount = 8

    let variant: Variant
    /// Whether the password is replaced by its MD5 first.
    let isOverMD5: Bool
    let logRounds: Int
    private let saltText: String
    private var tail: String

    static let schemes: [PasswordHash.Scheme] = [.phpass, .drupal7]

    static func recognizes(_ text: String) -> Bool {
        Variant.allCases.contains { text.hasPrefix($0.rawValue) || text.hasPrefix("U\($0.rawValue)") }
    }

    init(parsing text: String) throws(PasswordError) {
        isOverMD5 = text.hasPrefix("U")
        let rest = text.dropFirst(isOverMD5 ? 1 : 0)
        guard let variant = Variant.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
            throw .unrecognized
        }
        self.variant = variant
        let body = rest.dropFirst(variant.rawValue.count)
        let saltEnd = 1 + Self.saltCharacterCount
        guard body.utf8.count == saltEnd + variant.digestCharacterCount, let cost = body.utf8.first else {
            throw .malformed(
                "it must have \(saltEnd + variant.digestCharacterCount) characters behind its name"
            )
        }
        guard let logRounds = CryptAlphabet.unix.value(of: cost), Self.possibleLogRounds.contains(logRounds)
        else {
            throw .malformed("the rounds must be from 2^7 to 2^30")
        }
        self.logRounds = logRounds
        saltText = String(body.dropFirst().prefix(Self.saltCharacterCount))
        tail = String(body.dropFirst(saltEnd))
        // The last character of Drupal's digest, which is truncated, has no surplus bits.
        let isDigest =
            variant == .drupal ? CryptAlphabet.unix.contains(tail) : CryptAlphabet.unix.isCanonical(tail)
        guard isDigest, CryptAlphabet.unix.contains(saltText) else {
            throw .malformed("salt and digest must be in crypt(3)'s encoding")
        }
    }

    var description: String {
        let cost = String(decoding: [CryptAlphabet.unix.characters[logRounds]], as: UTF8.self)
        return (isOverMD5 ? "U" : "") + variant.rawValue + cost + saltText + tail
    }

    var scheme: PasswordHash.Scheme { variant == .drupal ? .drupal7 : .phpass }
    var weakness: String? {
        variant == .drupal
            ? "it takes hardly any memory, so graphics cards compute it fast"
            : "rounds of MD5 without memory: some 10⁷ guesses a second on one graphics card"
    }
    var parameters: [PasswordHash.Parameter] {
        [.init("rounds", 1 << logRounds)] + (isOverMD5 ? [.init("input", "md5")] : [])
    }
    var salt: [UInt8] { Array(saltText.utf8) }
    var digest: [UInt8] { Array(tail.utf8) }

    var setting: Self {
        var copy = self
        copy.tail = String(repeating: ".", count: tail.utf8.count)
        return copy
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        let count = isOverMD5 ? 32 : passwordByteCount
        let blocks = ComputationCost.blocks(passwordByteCount: count, blockByteCount: variant.blockByteCount)
        return ComputationCost(
            seconds: Double(1 << logRounds) * variant.roundSeconds * blocks + Double(passwordByteCount) * 3e-9
        )
    }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        BackendCalls.note()
        guard isOverMD5 else { return try stretch(password) }
        return try Legacy.MD5.hash(secret: password).withSecretHex { digits in
            Result { () throws(PasswordError) in try stretch(digits) }
        }.get()
    }

    private func stretch(_ password: Span<UInt8>) throws(PasswordError) -> SecretBytes {
        variant == .drupal
            ? try stretch(password, with: SHA512.self) : try stretch(password, with: Legacy.MD5.self)
    }

    private func stretch<Function: DigestAlgorithm>(
        _ password: Span<UInt8>,
        with _: Function.Type
    ) throws(PasswordError) -> SecretBytes {
        var function = Function()
        function.update(data: saltText.utf8)
        function.update(password)
        var digest = function.finalizeAndWipe()
        for _ in 0..<1 << logRounds {
            var function = Function()
            function.update(data: digest)
            function.update(password)
            digest = function.finalizeAndWipe()
        }
        let bytes = try SecretBytes.copying(digest)
        let text = try bytes.withSecretBytes { (bytes) throws(PasswordError) in
            try CryptAlphabet.unix.encode(bytes)
        }
        return try text.withSecretBytes { (text) throws(PasswordError) in
            try .copying(text.extracting(first: variant.digestCharacterCount))
        }
    }
}
