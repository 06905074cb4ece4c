// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// `:pbkdf2:sha512:30000:64:salt:digest`: function, iterations, size of the digest, and Base64.
///
/// `:pbkdf2-legacyA:!sha512:30000:64!!salt!digest` and `:pbkdf2-legacyB:!sha512:30000:64!salt of B!salt!digest` are of the
/// hexadecimal digits of a type A or B, over which MediaWiki's `wrapOldPasswords.php` put PBKDF2.
///
/// Source: `Pbkdf2Password` and `LayeredParameterizedPassword` of [MediaWiki](https://www.mediawiki.org/wiki/Manual:User_table).
struct MediaWikiPBKDF2Hash: ByteDigestScheme {
    /// What the input of PBKDF2 is.
    enum Input: Sendable, Equatable {
        case password
        /// The digits of the password's MD5.
        case typeA
        /// The digits of a digest with this salt.
        case typeB(saltText: String)
    }

    let input: Input
    let function: PBKDF2.Function
    let iterations: Int
    let salt: [UInt8]
    var digest: [UInt8]

    private static let digestByteCounts = 16...128

    static let schemes: [PasswordHash.Scheme] = []

    static func recognizes(_ text: String) -> Bool {
        [":pbkdf2:", ":pbkdf2-legacyA:", ":pbkdf2-legacyB:"].contains { text.hasPrefix($0) }
    }

    init(parsing text: String) throws(PasswordError) {
        let isPlain = text.hasPrefix(":pbkdf2:")
        let costs: [Substring]
        let rest: ArraySlice<Substring>
        if isPlain {
            let fields = text.split(separator: ":", omittingEmptySubsequences: false).dropFirst(2)
            costs = Array(fields.prefix(3))
            rest = fields.dropFirst(3)
            input = .password
        } else {
            // Behind the type: the costs of the inner and the outer hash, their salts, the digest.
            let fields = text.dropFirst(":pbkdf2-legacyA:".utf8.count)
                .split(separator: "!", omittingEmptySubsequences: false)
            let isTypeA = text.hasPrefix(":pbkdf2-legacyA:")
            guard fields.count == 5, fields[0].isEmpty, !isTypeA || fields[2].isEmpty,
                fields[2].utf8.count <= 256, !fields[2].contains(":")
            else {
                throw .malformed("it must have the fields costs, salts and digest, between exclamation marks")
            }
            costs = fields[1].split(separator: ":", omittingEmptySubsequences: false)
            rest = fields[3...]
            input = isTypeA ? .typeA : .typeB(saltText: String(fields[2]))
        }
        guard costs.count == 3, rest.count == 2, let saltField = rest.first, let digestField = rest.last
        else {
            throw .malformed("it must have the fields function, iterations, length, salt, digest")
        }
        guard let function = PBKDF2.Function(rawValue: String(costs[0])) else {
            throw .unsupported("PBKDF2 can only be checked with SHA-1, SHA-256 and SHA-512")
        }
        self.function = function
        iterations = Int(try PHCString.integer(costs[1], name: "iterations"))
        guard iterations > 0 else { throw .malformed("the number of iterations is 0") }
        salt = try HashField.base64(saltField)
        digest = try HashField.base64(digestField)
        guard !salt.isEmpty else { throw .malformed("the length of the salt is invalid") }
        guard Self.digestByteCounts.contains(digest.count),
            try PHCString.integer(costs[2], name: "length") == digest.count
        else { throw .malformed("the digest does not have the stated length, or not 16 to 128 bytes") }
    }

    var description: String {
        let costs = "\(function.rawValue):\(iterations):\(digest.count)"
        let (salt, digest) = (Base64.standard.encode(salt), Base64.standard.encode(digest))
        return switch input {
        case .password: ":pbkdf2:\(costs):\(salt):\(digest)"
        case .typeA: ":pbkdf2-legacyA:!\(costs)!!\(salt)!\(digest)"
        case .typeB(let saltText): ":pbkdf2-legacyB:!\(costs)!\(saltText)!\(salt)!\(digest)"
        }
    }

    private var plain: PBKDF2Hash {
        PBKDF2Hash(
            notation: .passlib,
            function: function,
            iterations: iterations,
            salt: salt,
            digest: digest
        )
    }

    var scheme: PasswordHash.Scheme { plain.scheme }
    var systems: [String] { ["MediaWiki"] }
    var weakness: String? { plain.weakness }

    /// Those over an older type have no parameters of a policy, so that the next login replaces them: a thief of an older
    /// table can try its digests in place of passwords.
    var unprefixed: any PasswordScheme { input == .password ? plain : self }

    var parameters: [PasswordHash.Parameter] {
        [.init("iterations", iterations), .init("notation", "mediawiki")]
            + (input == .password ? [] : [.init("input", "md5")])
    }

    var laneKernels: LaneKernels? { LaneKernels(function) }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        plain.computationCost(passwordByteCount: passwordByteCount)
    }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        let saltText: String?
        switch input {
        case .password: return try plain.computeDigest(of: password, context)
        case .typeA: saltText = nil
        case .typeB(let text): saltText = text
        }
        let inner = MediaWikiMD5Hash.digest(of: password, saltText: saltText)
        return try inner.withSecretHex { digits in
            Result { () throws(PasswordError) in try plain.computeDigest(of: digits, context) }
        }.get()
    }
}
