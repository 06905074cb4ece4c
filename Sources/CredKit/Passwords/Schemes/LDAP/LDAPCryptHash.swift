// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// `{CRYPT}` and a hash of crypt(3) (RFC 2307).
struct LDAPCryptHash: PrefixedCryptScheme {
    private let prefix: LDAPPrefix
    var inner: any CryptScheme

    static let notation = "ldap"

    static func recognizes(_ text: String) -> Bool { LDAPPrefix(of: text)?.names("crypt") == true }

    init(parsing text: String) throws(PasswordError) {
        guard let prefix = LDAPPrefix(of: text) else { throw .unrecognized }
        let rest = String(text.dropFirst(prefix.text.count))
        // A second prefix, LDAP's or Django's, would be parsed recursively.
        guard !rest.hasPrefix("{"), rest.hasPrefix("$") || !rest.contains("$"),
            let inner = try PasswordSchemes.parse(part: rest) as? any CryptScheme
        else { throw .malformed("the text behind {CRYPT} is not a hash of crypt(3)") }
        self.prefix = prefix
        self.inner = inner
    }

    var prefixText: String { prefix.text }
}
