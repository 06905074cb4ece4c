// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A hash of a scheme that cannot be layered, behind a name in braces that is only a notation: `{ARGON2ID}$argon2id$…`
/// of Dovecot, `{SCRAM-SHA-256.B64}…`. It has the scheme of that hash.
struct PrefixedTextHash: WrappedScheme {
    private let prefix: String
    /// The encoding of the text behind the prefix, if a suffix of the name states one.
    private let encoding: DigestEncoding?
    let notation: String
    let unprefixed: any PasswordScheme
    /// The number of bytes that the inner hash begins with and the text leaves out.
    private let hiddenByteCount: Int

    static func recognizes(_ text: String) -> Bool { PrefixedText(text).flatMap(hiddenText) != nil }

    /// Returns what the hash behind a prefix begins with and the text leaves out; `nil` if it is no hash of this type.
    private static func hiddenText(_ parts: PrefixedText) -> String? {
        switch parts.entry.content {
        case .argon2: ""
        // SCRAM itself reads Dovecot's form of a verifier, with the name as it stands there.
        case .scram: parts.encoding == nil && parts.prefix == parts.entry.prefix ? nil : parts.entry.prefix
        case .digest, .crypt, .pbkdf2, .scrypt, .atlassian, .joomla, .refused: nil
        }
    }

    init(parsing text: String) throws(PasswordError) {
        guard let parts = PrefixedText(text), let hiddenText = Self.hiddenText(parts) else {
            throw .unrecognized
        }
        let hash = try parts.text()
        if hiddenText.isEmpty {
            guard hash.hasPrefix("$argon2") else {
                throw .malformed("the text behind \(parts.entry.prefix) is not a hash of Argon2")
            }
            unprefixed = try Argon2Hash(parsing: hash)
        } else {
            unprefixed = try SCRAMHash(parsing: hiddenText + hash)
        }
        hiddenByteCount = hiddenText.utf8.count
        prefix = parts.prefix
        encoding = parts.encoding
        notation = parts.entry.notation
    }

    var description: String {
        let text = String(decoding: unprefixed.description.utf8.dropFirst(hiddenByteCount), as: UTF8.self)
        return PrefixedText.join(prefix, text, encoding)
    }
}
