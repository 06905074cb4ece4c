// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A hash of crypt(3) behind a name in braces: `{CRYPT}` (RFC 2307), Dovecot's `{SHA512-CRYPT}`, Spring's `{bcrypt}` …
struct PrefixedCryptHash: PrefixedCryptScheme {
    let prefixText: String
    /// The encoding of the text behind the prefix, if a suffix of the name states one.
    private let encoding: DigestEncoding?
    private let notation: String
    var inner: any CryptScheme

    static let notation = "ldap"

    static func recognizes(_ text: String) -> Bool {
        guard case .crypt? = PrefixedText(text)?.entry.content else { return false }
        return true
    }

    init(parsing text: String) throws(PasswordError) {
        guard let parts = PrefixedText(text), case .crypt(let schemes) = parts.entry.content else {
            throw .unrecognized
        }
        let hash = try parts.text()
        // A second prefix, of LDAP or Django, would be parsed recursively.
        guard !hash.hasPrefix("{"), hash.hasPrefix("$") || !hash.contains("$"),
            let inner = try PasswordSchemes.parse(part: hash) as? any CryptScheme,
            schemes.isEmpty || schemes.contains(inner.scheme)
        else { throw .malformed("the text behind {\(parts.entry.name)} is not such a hash of crypt(3)") }
        prefixText = parts.prefix
        encoding = parts.encoding
        notation = parts.entry.notation
        self.inner = inner
    }

    var description: String { PrefixedText.join(prefixText, inner.description, encoding) }

    var parameters: [PasswordHash.Parameter] { inner.parameters + [.init("notation", notation)] }
}
