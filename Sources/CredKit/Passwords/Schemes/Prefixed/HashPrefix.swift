// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A name in braces before a stored hash, and what stands behind it. ``HashPrefixes`` has all of them.
struct HashPrefix: Sendable {
    /// What stands behind the prefix.
    enum Content: Sendable {
        /// One digest of the password and a salt.
        case digest(PrefixedDigestFunction, DigestLayout, DigestEncoding)
        /// A hash of crypt(3), of one of these schemes; of any scheme if there are none.
        case crypt([PasswordHash.Scheme])
        /// A hash of Argon2.
        case argon2
        /// A verifier of SCRAM, in Dovecot's form.
        case scram
        case pbkdf2(PrefixedPBKDF2.Form)
        /// Spring's scrypt: costs, salt and digest.
        case scrypt
        /// Atlassian's PBKDF2.
        case atlassian
        /// Joomla's digest of the password and a salt in plain text.
        case joomla
        /// A text that is not read, and the reason, for people.
        case refused(String)
    }

    /// The texts behind the prefix that an entry is for. Several systems write the same name before different texts.
    enum Form: Sendable {
        case any
        /// Texts that begin like this.
        case beginning(String)
        /// Hexadecimal digits, this many.
        case hex(Int)
        /// Hexadecimal digits, this many, a colon and a salt.
        case hexAndSalt(Int)
        /// Texts with the padding of Base64.
        case padded

        func contains(_ text: String) -> Bool {
            switch self {
            case .any: true
            case .beginning(let beginning): text.hasPrefix(beginning)
            case .hex(let count): text.utf8.count == count && text.utf8.allSatisfy(DigestEncoding.isHex)
            case .hexAndSalt(let count):
                text.utf8.dropFirst(count).first == UInt8(ascii: ":")
                    && text.utf8.prefix(count).allSatisfy(DigestEncoding.isHex)
            case .padded: text.hasSuffix("=")
            }
        }
    }

    /// The name, as its system writes it. Its case has no meaning when it is read.
    let name: String
    let systems: [PasswordHash.PrefixSystem]
    let content: Content
    var form = Form.any
    /// The schemes of new hashes that its systems read behind this name.
    var writes: [PasswordHash.Scheme] = []

    /// The name in its braces.
    var prefix: String { "{\(name)}" }

    /// The name of the notation, in the parameters of a hash: the system's, or LDAP if there are several.
    var notation: String {
        systems.count == 1 ? systems[0].name : "ldap"
    }

    /// Whether its text is one digest, which a suffix of the name encodes. The suffix of the others encodes a text.
    var isDigest: Bool {
        guard case .digest = content else { return false }
        return true
    }
}

/// The encoding of bytes in a stored hash.
enum DigestEncoding: Sendable, Hashable {
    /// Base64 with padding.
    case base64
    /// Lowercase hexadecimal digits.
    case hex
    case uppercaseHex

    static func isHex(_ byte: UInt8) -> Bool {
        48...57 ~= byte || 65...70 ~= byte || 97...102 ~= byte
    }

    /// This encoding; for hexadecimal digits, with the case that a text has.
    func matchingCase(of text: String) -> Self {
        guard self != .base64 else { return self }
        return text.utf8.contains { 65...70 ~= $0 } ? .uppercaseHex : .hex
    }

    func encode(_ bytes: [UInt8]) -> String {
        switch self {
        case .base64: Base64.standard.encode(bytes)
        case .hex: Hex.encode(bytes)
        case .uppercaseHex: Hex.encode(bytes).uppercased()
        }
    }

    /// Decodes a text. Each value has exactly one text.
    func decode(_ text: String) throws(PasswordError) -> [UInt8] {
        switch self {
        case .base64:
            do throws(Base64.DecodingError) {
                return try Base64.standard.decode(text)
            } catch {
                throw .malformed("the text behind the prefix is not Base64: \(error)")
            }
        case .hex, .uppercaseHex:
            guard let bytes = try? Hex.decode(text), encode(bytes) == text else {
                throw .malformed("the text behind the prefix is not hexadecimal digits of one case")
            }
            return bytes
        }
    }
}
