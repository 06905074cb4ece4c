// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// The MD5 of MD5 and salt of old versions of vBulletin, in hexadecimal digits; see
    /// ``PasswordHash/LegacyHexAlgorithm/Composite``. Some 10¹⁰ guesses a second. Verified only.
    public static let hexVBulletin = Self("hex-vbulletin")

    /// The MD5 of two MD5 of old versions of MyBB, in hexadecimal digits; see
    /// ``PasswordHash/LegacyHexAlgorithm/Composite``. Some 10¹⁰ guesses a second. Verified only.
    public static let hexMyBB = Self("hex-mybb")

    /// The MD5 of two MD5 of IP.Board before 4, in hexadecimal digits; see ``PasswordHash/LegacyHexAlgorithm/Composite``. Some
    /// 10¹⁰ guesses a second. Verified only.
    public static let hexIPBoard = Self("hex-ipb")

    /// The SHA-1 of user name and password of Simple Machines Forum, in hexadecimal digits; see
    /// ``PasswordHash/LegacyHexAlgorithm/Composite``. Some 10¹⁰ guesses a second. Verified only.
    public static let hexSMF = Self("hex-smf")

    /// The three SHA-1 of WoltLab Burning Board 3, in hexadecimal digits; see
    /// ``PasswordHash/LegacyHexAlgorithm/Composite``. Some 10⁹ guesses a second. Verified only.
    public static let hexWoltLab = Self("hex-wbb3")

    /// The three SHA-1 of OpenCart before 4, in hexadecimal digits; see ``PasswordHash/LegacyHexAlgorithm/Composite``. Some
    /// 10⁹ guesses a second. Verified only.
    public static let hexOpenCart = Self("hex-opencart")

    /// The SHA-1 of salt and SHA-1 of PunBB, FluxBB and Redmine, in hexadecimal digits; see
    /// ``PasswordHash/LegacyHexAlgorithm/Composite``. Some 10¹⁰ guesses a second. Verified only.
    public static let hexPunBB = Self("hex-punbb")
}

/// `$hex-vbulletin$salt=MzA4$digest`: a notation of CredKit's own for the digests of forums and shops, which do not name
/// their algorithm. The salt is Base64 without padding; the field is left out if it is empty.
struct HexCompositeHash: ByteDigestScheme {
    typealias Composite = PasswordHash.LegacyHexAlgorithm.Composite

    let composite: Composite
    let salt: [UInt8]
    var digest: [UInt8]

    static let schemes = Composite.allCases.map(\.scheme)

    static func recognizes(_ text: String) -> Bool { composite(of: text) != nil }

    private static func composite(of text: String) -> Composite? {
        guard text.hasPrefix("$hex-") else { return nil }
        return Composite.allCases.first { text.hasPrefix(beginning(of: $0)) }
    }

    private static func beginning(of composite: Composite) -> String { "$hex-\(composite.rawValue)$" }

    init(parsing text: String) throws(PasswordError) {
        let fields = text.dollarFields.dropFirst(2)
        guard let composite = Self.composite(of: text), 1...2 ~= fields.count, let digest = fields.last else {
            throw .malformed("it must have the fields name, salt, digest")
        }
        var salt: [UInt8] = []
        if fields.count == 2, let field = fields.first {
            guard field.hasPrefix("salt="),
                let bytes = try? Base64.standard.unpadded.decode(field.dropFirst(5)), !bytes.isEmpty
            else { throw .malformed("the second field must be salt= and Base64 without padding") }
            salt = bytes
        }
        try self.init(
            composite: composite,
            salt: salt,
            digest: HexDigest.parse(digest, byteCount: composite.function.digestByteCount)
        )
        // Each value has exactly one text.
        guard self.salt == salt else {
            throw .malformed("the user's name, which is the salt, must be in lowercase")
        }
    }

    init(composite: Composite, salt: [UInt8], digest: [UInt8]) throws(PasswordError) {
        guard salt.count <= 256 else { throw .malformed("the salt has more than 256 bytes") }
        self.composite = composite
        self.salt = composite.normalized(salt)
        self.digest = digest
    }

    var description: String {
        Self.beginning(of: composite)
            + (salt.isEmpty ? "" : "salt=\(Base64.standard.unpadded.encode(salt))$") + Hex.encode(digest)
    }

    var scheme: PasswordHash.Scheme { composite.scheme }

    var weakness: String? {
        "\(composite.roundCount == 1 ? "one" : "\(composite.roundCount)") \(composite.function.title): "
            + composite.function.guesses
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        ComputationCost(seconds: 10e-6 + Double(composite.roundCount) * composite.function.roundSeconds)
    }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        try composite.digest(of: password, salt: salt)
    }
}
