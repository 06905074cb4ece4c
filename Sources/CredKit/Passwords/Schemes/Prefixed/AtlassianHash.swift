// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordHash.Scheme {
    /// Atlassian's `{PKCS5S2}`: PBKDF2 with HMAC-SHA-1 and 10,000 iterations, some 10⁶ guesses a second on one graphics
    /// card. Verified only.
    public static let atlassianPBKDF2 = Self("atlassian-pbkdf2")
}

/// `{PKCS5S2}` and the Base64 of 16 bytes of salt and 32 of digest, as Atlassian's Jira, Confluence and Crowd write it:
/// PBKDF2 with HMAC-SHA-1 and 10,000 iterations.
struct AtlassianHash: ByteDigestScheme {
    private let prefix: String
    let salt: [UInt8]
    var digest: [UInt8]

    private static let iterations = 10_000
    private static let saltByteCount = 16
    private static let digestByteCount = 32

    static let schemes: [PasswordHash.Scheme] = [.atlassianPBKDF2]

    static func recognizes(_ text: String) -> Bool {
        guard case .atlassian? = PrefixedText(text)?.entry.content else { return false }
        return true
    }

    init(parsing text: String) throws(PasswordError) {
        guard let parts = PrefixedText(text) else { throw .unrecognized }
        let bytes = try DigestEncoding.base64.decode(parts.rest)
        guard bytes.count == Self.saltByteCount + Self.digestByteCount else {
            throw .malformed("salt and digest must have 48 bytes")
        }
        prefix = parts.prefix
        salt = Array(bytes.prefix(Self.saltByteCount))
        digest = Array(bytes.dropFirst(Self.saltByteCount))
    }

    var description: String { prefix + Base64.standard.encode(salt + digest) }
    var scheme: PasswordHash.Scheme { .atlassianPBKDF2 }
    var weakness: String? {
        "10,000 iterations of PBKDF2 with SHA-1: some 10⁶ guesses a second on one graphics card"
    }
    var parameters: [PasswordHash.Parameter] { [.init("iterations", Self.iterations)] }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        // The digest takes two blocks of SHA-1.
        ComputationCost(seconds: 2 * Double(Self.iterations) * PBKDF2.Function.sha1.iterationSeconds)
    }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        do throws(KeyDerivationError) {
            return try PBKDF2.deriveKey(
                from: password,
                salt: salt,
                function: .sha1,
                iterations: Self.iterations,
                count: Self.digestByteCount,
                interruption: context.interruption
            )
        } catch {
            throw PasswordError(error)
        }
    }
}
