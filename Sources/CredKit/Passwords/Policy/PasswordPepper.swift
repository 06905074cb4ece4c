// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A key that passwords pass through before they are hashed, kept apart from the table: a stolen table alone can
/// then not be guessed at.
///
/// ```swift
/// let pepper = try PasswordPepper(keys: ["2026": key], current: "2026")
/// let hasher = try PasswordHasher(policy: .recommended, pepper: pepper)
/// // $pepper-hmac-sha256$keyid=2026$argon2id$v=19$m=19456,t=2,p=1$…
/// ```
///
/// What is hashed in place of a password is the Base64, without padding, of HMAC-SHA-256 (key, password): 43
/// characters, so that every scheme takes it whole. The hash's text begins with `$pepper-hmac-sha256$keyid=` and the
/// key's identifier.
///
/// To rotate, add a key, make it the current one, and keep the old one: hashes under it still verify and are offered
/// for an upgrade at the next login. A key that is lost takes all passwords under it along.
public struct PasswordPepper: Sendable {
    /// The smallest key, in bytes.
    public static let minimumKeyByteCount = 16

    /// The size of what is hashed in place of a password.
    static let outputByteCount = 43

    /// The identifier of the key that new hashes are made with.
    public let currentKeyID: String

    fileprivate let keys: [String: SecretBytes]

    /// A pepper of one or more keys.
    ///
    /// - Parameters:
    ///   - keys: The keys by identifier, each of at least ``minimumKeyByteCount`` random bytes; identifiers are 1 to
    ///     32 of letters, digits and `-`, `.`, `+`, `/`.
    ///   - current: The identifier of the key for new hashes.
    /// - Throws: ``PasswordError/invalidParameters`` for a key that is too short, an identifier of another form or a
    ///   current one that is not among them.
    public init(keys: [String: SecretBytes], current: String) throws(PasswordError) {
        for (keyID, key) in keys {
            do throws(PasswordError) {
                try Self.check(keyID: keyID)
            } catch {
                throw .invalidParameters("\(error)")
            }
            guard key.count >= Self.minimumKeyByteCount else {
                throw .invalidParameters(
                    "the pepper '\(keyID)' has less than \(Self.minimumKeyByteCount) bytes"
                )
            }
        }
        guard keys[current] != nil else {
            throw .invalidParameters("the current pepper '\(current)' is not among the keys")
        }
        self.keys = keys
        currentKeyID = current
    }

    /// What the text of a peppered hash begins with.
    static func prefix(keyID: String) -> String { "$pepper-hmac-sha256$keyid=" + keyID }

    /// The key's identifier and the hash behind the prefix, `nil` if a hash is not peppered.
    static func split(_ text: String) throws(PasswordError) -> (keyID: String, rest: String)? {
        guard text.hasPrefix("$pepper-") else { return nil }
        let fields = text.split(separator: "$", maxSplits: 3, omittingEmptySubsequences: false)
        guard fields.count == 4 else { throw .malformed("no key identifier and hash follow the pepper") }
        guard fields[1] == "pepper-hmac-sha256" else { throw .unsupported("there is no such pepper") }
        guard fields[2].hasPrefix("keyid=") else { throw .malformed("the pepper names no key") }
        let keyID = String(fields[2].dropFirst(6))
        try check(keyID: keyID)
        return (keyID, "$" + fields[3])
    }

    /// Refuses what cannot be an identifier of a key.
    static func check(keyID: String) throws(PasswordError) {
        guard 1...32 ~= keyID.utf8.count, PHCString.isValue(keyID) else {
            throw .malformed("a key's identifier is not 1 to 32 letters, digits, '-', '.', '+' or '/'")
        }
    }

    fileprivate static func unknownKey(_ keyID: String) -> PasswordError {
        .unknownKey("the pepper '\(keyID)' of this hash is not at hand")
    }

    /// What is hashed in place of a password.
    func apply(_ keyID: String, to password: Span<UInt8>) throws(PasswordError) -> SecretBytes {
        guard let key = keys[keyID] else { throw Self.unknownKey(keyID) }
        let code = HMAC<SHA256>.authenticationCode(for: password, using: HMAC<SHA256>.Key(key))
        return try unsafe .derived(count: Self.outputByteCount) { buffer in
            var text = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
            code.withContiguousSpan { Base64.standard.unpadded.encode($0, into: &text) }
            _ = unsafe text.finalize(for: buffer)
            return nil
        }
    }
}

extension PasswordPepper? {
    /// Refuses a hash under a key that is not there.
    func check(_ keyID: String) throws(PasswordError) {
        guard let self else { throw .unknownKey("the hash was made with a pepper, and none is at hand") }
        guard self.keys[keyID] != nil else { throw Wrapped.unknownKey(keyID) }
    }
}

extension PasswordPepper: CustomStringConvertible, CustomReflectable {
    /// The identifier of the current key, and nothing of the keys.
    public var description: String { "‹pepper \(currentKeyID)›" }

    /// A mirror without children: dumping a pepper shows nothing of its keys.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
