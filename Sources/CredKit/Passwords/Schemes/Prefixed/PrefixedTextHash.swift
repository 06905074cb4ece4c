// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A hash of a scheme that cannot be layered, behind a name in braces that is only a notation: `{ARGON2ID}$argon2id$…`
/// of Dovecot, `{SCRAM-SHA-256.B64}…`. It has the scheme of that hash.
struct PrefixedTextHash: PasswordScheme {
    private let prefix: String
    /// The encoding of the text behind the prefix, if a suffix of the name states one.
    private let encoding: DigestEncoding?
    private let notation: String
    private let inner: any PasswordScheme
    /// The number of bytes that the inner hash begins with and the text leaves out.
    private let hiddenByteCount: Int

    /// None of its own.
    static let schemes: [PasswordHash.Scheme] = []

    static func recognizes(_ text: String) -> Bool {
        guard let parts = PrefixedText(text) else { return false }
        return switch parts.entry.content {
        case .argon2: true
        case .scram: !isPlainSCRAM(parts)
        case .digest, .crypt, .pbkdf2, .scrypt, .atlassian, .joomla, .refused: false
        }
    }

    /// Returns whether a text is Dovecot's form of a verifier as SCRAM itself reads it.
    private static func isPlainSCRAM(_ parts: PrefixedText) -> Bool {
        parts.encoding == nil && parts.prefix == "{\(parts.entry.name)}"
    }

    init(parsing text: String) throws(PasswordError) {
        guard let parts = PrefixedText(text) else { throw .unrecognized }
        let hash = try parts.text()
        switch parts.entry.content {
        case .argon2:
            guard hash.hasPrefix("$argon2") else {
                throw .malformed("the text behind {\(parts.entry.name)} is not a hash of Argon2")
            }
            inner = try Argon2Hash(parsing: hash)
            hiddenByteCount = 0
        case .scram:
            let name = "{\(parts.entry.name)}"
            inner = try SCRAMHash(parsing: name + hash)
            hiddenByteCount = name.utf8.count
        case .digest, .crypt, .pbkdf2, .scrypt, .atlassian, .joomla, .refused:
            throw .unrecognized
        }
        prefix = parts.prefix
        encoding = parts.encoding
        notation = parts.entry.notation
    }

    var description: String {
        let text = String(decoding: inner.description.utf8.dropFirst(hiddenByteCount), as: UTF8.self)
        return PrefixedText.join(prefix, text, encoding)
    }

    var scheme: PasswordHash.Scheme { inner.scheme }
    var unprefixed: any PasswordScheme { inner }
    var parameters: [PasswordHash.Parameter] {
        inner.parameters.filter { $0.name != "notation" } + [.init("notation", notation)]
    }
    var salt: [UInt8] { inner.salt }
    var digest: [UInt8] { inner.digest }
    var weakness: String? { inner.weakness }
    var layeringObstacle: String { inner.layeringObstacle }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        inner.computationCost(passwordByteCount: passwordByteCount)
    }

    func input(for password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> SecretBytes? {
        try inner.input(for: password, context)
    }

    func ignoresBytes(of password: Span<UInt8>) -> Bool { inner.ignoresBytes(of: password) }

    func matches(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> Bool {
        try inner.matches(password, context)
    }
}
