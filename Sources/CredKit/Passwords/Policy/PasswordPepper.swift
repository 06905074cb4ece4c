// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A key that is applied to passwords before they are hashed. It is stored apart from the table, so an attacker with
/// the table alone cannot guess passwords.
///
/// ```swift
/// let pepper = try PasswordPepper(keys: ["2026": key], current: "2026")
/// let context = try PasswordContext(policy: .recommended, pepper: pepper)
/// // $pepper-hmac-sha256$keyid=2026$argon2id$v=19$m=19456,t=2,p=1$…
/// ```
///
/// The input of the hash is then the Base64, without padding, of HMAC-SHA-256 (key, password): 43 characters, which
/// every scheme hashes in full. The text of the hash begins with `$pepper-hmac-sha256$keyid=` and the identifier of
/// the key.
///
/// Rotate a key by adding a new one, making it the current one, and retaining the old one: hashes with the old key
/// still verify, and are upgraded at the next login. If a key is lost, no password that was hashed with it can be
/// verified any more.
public struct PasswordPepper: Sendable {
    /// The minimum size of a key, in bytes.
    public static let minimumKeyByteCount = 16

    /// The size in bytes of the hash input that replaces a password.
    static let outputByteCount = 43

    /// The identifier of the key for new hashes.
    public let currentKeyID: String

    fileprivate let keys: [String: SecretBytes]

    /// Creates a pepper with one or more keys.
    ///
    /// - Parameters:
    ///   - keys: The keys by identifier, each of at least ``minimumKeyByteCount`` random bytes; identifiers are 1 to
    ///     32 letters, digits and `-`, `.`, `+`, `/`.
    ///   - current: The identifier of the key for new hashes.
    /// - Throws: ``PasswordError/invalidParameters`` if a key is too short, an identifier is malformed, or the
    ///   current identifier is not among the keys.
    public init(keys: [String: SecretBytes], current: String) throws(PasswordError) {
        for (keyID, key) in keys {
            do throws(PasswordError) {
                try Self.check(keyID: keyID)
            } catch {
                throw .invalidParameters("\(error)")
            }
            guard key.count >= Self.minimumKeyByteCount else {
                throw .invalidParameters(
                    "the pepper key '\(keyID)' has less than \(Self.minimumKeyByteCount) bytes"
                )
            }
        }
        guard keys[current] != nil else {
            throw .invalidParameters("the current pepper key '\(current)' is not among the keys")
        }
        self.keys = keys
        currentKeyID = current
    }

    /// Returns the beginning of the text of a peppered hash.
    static func prefix(keyID: String) -> String { "$pepper-hmac-sha256$keyid=" + keyID }

    /// Splits a peppered hash into the identifier of the key and the hash behind the prefix; returns `nil` if it is
    /// not peppered.
    static func split(_ text: String) throws(PasswordError) -> (keyID: String, rest: String)? {
        guard text.hasPrefix("$pepper-") else { return nil }
        let fields = text.split(separator: "$", maxSplits: 3, omittingEmptySubsequences: false)
        guard fields.count == 4 else {
            throw .malformed("the pepper must be followed by a key identifier and a hash")
        }
        guard fields[1] == "pepper-hmac-sha256" else { throw .unsupported("the kind of pepper is unknown") }
        guard fields[2].hasPrefix("keyid=") else { throw .malformed("the pepper names no key") }
        let keyID = String(fields[2].dropFirst(6))
        try check(keyID: keyID)
        return (keyID, "$" + fields[3])
    }

    /// Throws if a text cannot be the identifier of a key.
    static func check(keyID: String) throws(PasswordError) {
        guard 1...32 ~= keyID.utf8.count, PHCString.isValue(keyID) else {
            throw .malformed("a key identifier must be 1 to 32 letters, digits, '-', '.', '+' or '/'")
        }
    }

    fileprivate static func unknownKey(_ keyID: String) -> PasswordError {
        .unknownKey("the pepper key '\(keyID)' of this hash is not available")
    }

    /// Returns the hash input that replaces a password.
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
    /// Throws if the key of a hash is not available.
    func check(_ keyID: String) throws(PasswordError) {
        guard let self else {
            throw .unknownKey("the hash was made with a pepper, but no pepper key is available")
        }
        guard self.keys[keyID] != nil else { throw Wrapped.unknownKey(keyID) }
    }
}

extension PasswordPepper: CustomStringConvertible, CustomReflectable {
    /// The identifier of the current key, without the keys themselves.
    public var description: String { "‹pepper \(currentKeyID)›" }

    /// A mirror without children: dumping a pepper reveals nothing of its keys.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
