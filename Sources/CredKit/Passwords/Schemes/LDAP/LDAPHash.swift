// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// LDAP's `{SHA}`: SHA-1 without a salt; also what `htpasswd -s` writes. Some 10¹⁰ guesses a second, against all
    /// users at once. Verified only.
    public static let ldapSHA = Self("ldap-sha")

    /// LDAP's `{SSHA}`: SHA-1 of password and salt. Some 10¹⁰ guesses a second. Verified only.
    public static let ldapSSHA = Self("ldap-ssha")

    /// LDAP's `{MD5}`: MD5 without a salt. Some 10¹⁰ guesses a second, against all users at once. Verified only.
    public static let ldapMD5 = Self("ldap-md5")

    /// LDAP's `{SMD5}`: MD5 of password and salt. Some 10¹⁰ guesses a second. Verified only.
    public static let ldapSMD5 = Self("ldap-smd5")
}

/// `{SSHA}` and the Base64 of digest and salt (RFC 2307).
struct LDAPHash: LayerableScheme {
    enum Variant: String, CaseIterable, Sendable {
        case sha = "{SHA}"
        case ssha = "{SSHA}"
        case md5 = "{MD5}"
        case smd5 = "{SMD5}"

        var isSalted: Bool { self == .ssha || self == .smd5 }
        var digestByteCount: Int { self == .sha || self == .ssha ? 20 : 16 }
    }

    private let variant: Variant
    let salt: [UInt8]
    private(set) var digest: [UInt8]

    static let schemes: [PasswordHash.Scheme] = [.ldapSHA, .ldapSSHA, .ldapMD5, .ldapSMD5]

    static func recognizes(_ text: String) -> Bool {
        Variant.allCases.contains { text.hasPrefix($0.rawValue) }
    }

    init(parsing text: String) throws(PasswordError) {
        guard let variant = Variant.allCases.first(where: { text.hasPrefix($0.rawValue) }) else {
            throw .unrecognized
        }
        let bytes: [UInt8]
        do throws(Base64.DecodingError) {
            bytes = try Base64.standard.decode(text.dropFirst(variant.rawValue.count))
        } catch {
            throw .malformed("the text behind the scheme is not Base64: \(error)")
        }
        let saltCount = bytes.count - variant.digestByteCount
        guard variant.isSalted ? 1...64 ~= saltCount : saltCount == 0 else {
            throw .malformed("the length of digest and salt is invalid")
        }
        self.variant = variant
        digest = Array(bytes.prefix(variant.digestByteCount))
        salt = Array(bytes.dropFirst(variant.digestByteCount))
    }

    var description: String { variant.rawValue + Base64.standard.encode(digest + salt) }

    var scheme: PasswordHash.Scheme {
        switch variant {
        case .sha: .ldapSHA
        case .ssha: .ldapSSHA
        case .md5: .ldapMD5
        case .smd5: .ldapSMD5
        }
    }

    var weakness: String? {
        variant.isSalted
            ? "one fast hash: some 10¹⁰ guesses a second on one graphics card"
            : "one fast hash without a salt: some 10¹⁰ guesses a second, against all users at once"
    }
    var parameters: [PasswordHash.Parameter] { [] }

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
        func digest<Function: DigestAlgorithm>(_: Function.Type) -> Function.Digest {
            var function = Function()
            function.update(password)
            function.update(salt.span)
            return function.finalizeAndWipe()
        }
        switch variant {
        case .sha, .ssha: return try .copying(digest(Legacy.SHA1.self))
        case .md5, .smd5: return try .copying(digest(Legacy.MD5.self))
        }
    }
}
