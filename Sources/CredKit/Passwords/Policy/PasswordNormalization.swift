// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The normalization of passwords before they are hashed, so that a password typed on two systems has the same bytes.
///
/// A policy names its normalization explicitly. A named normalization never changes, because hashes depend on it.
public struct PasswordNormalization: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String { case none, rfc8265 }

    private let kind: Kind

    /// Passwords are bytes, which stay unchanged.
    public static let none = Self(kind: .none)

    /// The OpaqueString profile of [RFC 8265](https://www.rfc-editor.org/rfc/rfc8265) §4: spaces of all scripts
    /// become U+0020, then normalization form C is applied. Passwords are rejected if they are empty, are not UTF-8,
    /// or contain characters outside the FreeformClass of RFC 8264 (controls, unassigned, private use …).
    ///
    /// A password with characters beyond ASCII is copied into strings during normalization, whose memory is freed
    /// without being wiped.
    ///
    /// Rejecting unassigned characters ensures that a password has the same form with every later version of Unicode.
    /// U+200C is allowed only behind a virama, not between joining letters.
    public static let rfc8265 = Self(kind: .rfc8265)

    /// The name.
    public var description: String { kind.rawValue }

    /// Returns the normalized password, or `nil` if normalization does not change it. Throws
    /// ``PasswordError/passwordNotAllowed``.
    func apply(to password: Span<UInt8>) throws(PasswordError) -> SecretBytes? {
        guard kind != .none else { return nil }
        // ASCII is its own normal form, so no copy is made.
        var isPlain = password.count > 0
        for index in password.indices { isPlain = isPlain && 0x20...0x7E ~= password[index] }
        if isPlain { return nil }
        let bytes = password.indices.map { password[$0] }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .passwordNotAllowed("the password is not UTF-8")
        }
        let normalized = try OpaqueString.enforce(text)
        return try .copying(Array(normalized.utf8))
    }
}
