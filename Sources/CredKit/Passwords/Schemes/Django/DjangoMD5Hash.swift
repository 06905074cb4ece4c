// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// Django's `md5$salt$hex`: MD5 of salt and password, some 10¹⁰ guesses a second. Verified only.
    public static let djangoMD5 = Self("django-md5")
}

/// `md5$salt$digest`, by the definition of Django's `MD5PasswordHasher`.
struct DjangoMD5Hash: LayerableScheme {
    private let saltText: String
    private(set) var digest: [UInt8]

    static let schemes: [PasswordHash.Scheme] = [.djangoMD5]

    static func recognizes(_ text: String) -> Bool { text.hasPrefix("md5$") }

    init(parsing text: String) throws(PasswordError) {
        let fields = text.split(separator: "$", omittingEmptySubsequences: false)
        guard fields.count == 3 else { throw .malformed("it must have three fields: name, salt, digest") }
        saltText = String(fields[1])
        digest = try HexDigest.parse(fields[2])
    }

    var description: String { "md5$\(saltText)$\(Hex.encode(digest))" }
    var scheme: PasswordHash.Scheme { .djangoMD5 }
    var weakness: String? { "one MD5: some 10¹⁰ guesses a second on one graphics card" }
    var parameters: [PasswordHash.Parameter] { [] }
    var salt: [UInt8] { Array(saltText.utf8) }

    var setting: Self {
        var copy = self
        copy.digest = [UInt8](repeating: 0, count: digest.count)
        return copy
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost { ComputationCost(seconds: 10e-6) }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        BackendCalls.note()
        return try .copying(Legacy.SaltedMD5(salt: salt, position: .prefix).hash(span: password))
    }
}
