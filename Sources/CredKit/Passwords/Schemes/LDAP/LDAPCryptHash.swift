// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// `{CRYPT}` and a hash of crypt(3) (RFC 2307). It has the scheme of that hash: the prefix is only a notation.
struct LDAPCryptHash: LayerableScheme {
    private let prefix: LDAPPrefix
    private var inner: any CryptScheme

    /// None of its own.
    static let schemes: [PasswordHash.Scheme] = []

    static func recognizes(_ text: String) -> Bool { LDAPPrefix(of: text)?.names("crypt") == true }

    init(parsing text: String) throws(PasswordError) {
        guard let prefix = LDAPPrefix(of: text) else { throw .unrecognized }
        let rest = String(text.dropFirst(prefix.text.count))
        // A second prefix would be parsed recursively.
        guard !rest.hasPrefix("{"), let inner = try PasswordSchemes.parse(part: rest) as? any CryptScheme
        else { throw .malformed("the text behind {CRYPT} is not a hash of crypt(3)") }
        self.prefix = prefix
        self.inner = inner
    }

    var description: String { prefix.text + inner.description }
    var scheme: PasswordHash.Scheme { inner.scheme }
    var unprefixed: any PasswordScheme { inner }
    var parameters: [PasswordHash.Parameter] { inner.parameters + [.init("notation", "ldap")] }
    var salt: [UInt8] { inner.salt }
    var digest: [UInt8] { inner.digest }
    var weakness: String? { inner.weakness }

    var setting: Self {
        var copy = self
        copy.inner = inner.setting
        return copy
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        inner.computationCost(passwordByteCount: passwordByteCount)
    }

    func ignoresBytes(of password: Span<UInt8>) -> Bool { inner.ignoresBytes(of: password) }

    func computeDigest(
        of password: Span<UInt8>,
        _ context: HashingContext
    ) throws(PasswordError) -> SecretBytes {
        try inner.computeDigest(of: password, context)
    }
}
