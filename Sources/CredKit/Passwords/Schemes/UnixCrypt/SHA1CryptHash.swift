// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// NetBSD's sha1crypt, `$sha1$`: PBKDF1 with HMAC-SHA-1, which takes hardly any memory. Verified only.
    public static let sha1Crypt = Self("sha1-crypt")
}

/// `$sha1$iterations$salt$digest`. passlib also writes empty salts, which libxcrypt rejects, so it is computed here.
struct SHA1CryptHash: CryptScheme {
    let iterations: Int
    private let saltText: String
    var tail: String

    static let schemes: [PasswordHash.Scheme] = [.sha1Crypt]

    static func recognizes(_ text: String) -> Bool { text.hasPrefix("$sha1$") }

    init(parsing text: String) throws(PasswordError) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 5 else {
            throw .malformed("it must have four fields: name, iterations, salt, digest")
        }
        iterations = Int(try PHCString.integer(fields[2], name: "iterations"))
        guard iterations > 0 else { throw .malformed("the number of iterations is 0") }
        guard fields[3].utf8.count <= 64, CryptAlphabet.unix.contains(fields[3]) else {
            throw .malformed("the salt must be at most 64 characters of crypt(3)'s encoding")
        }
        guard fields[4].utf8.count == 28, CryptAlphabet.unix.contains(fields[4]) else {
            throw .malformed("the digest must be 28 characters of crypt(3)'s encoding")
        }
        saltText = String(fields[3])
        tail = String(fields[4])
    }

    var head: String { "$sha1$\(iterations)$\(saltText)$" }
    var scheme: PasswordHash.Scheme { .sha1Crypt }
    var weakness: String? { "it takes hardly any memory, so graphics cards compute it fast" }
    var parameters: [PasswordHash.Parameter] { [.init("iterations", iterations)] }
    var salt: [UInt8] { Array(saltText.utf8) }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        ComputationCost(seconds: Double(iterations) * 0.9e-6)
    }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        try UnixCrypt.checkFitsCrypt(password)
        BackendCalls.note()
        let key = HMAC<Legacy.SHA1>.Key(password)
        let first = Array("\(saltText)$sha1$\(iterations)".utf8)
        var code = HMAC<Legacy.SHA1>.authenticationCode(for: first.span, using: key)
        for _ in 1..<iterations {
            code = code.withContiguousSpan { HMAC<Legacy.SHA1>.authenticationCode(for: $0, using: key) }
        }
        // The byte order that the first implementation wrote, with the first byte twice.
        let shuffled = try SecretBytes.copying(
            [2, 1, 0, 5, 4, 3, 8, 7, 6, 11, 10, 9, 14, 13, 12, 17, 16, 15, 0, 19, 18].map { code[$0] }
        )
        return try shuffled.withSecretBytes { (bytes) throws(PasswordError) in
            try CryptAlphabet.unix.encode(bytes)
        }
    }
}
