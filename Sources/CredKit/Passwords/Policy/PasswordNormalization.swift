// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What is done to a password before it is hashed, so that one password typed on two systems is the same bytes.
///
/// A policy names it explicitly, and a named one never changes its meaning: hashes depend on it.
public struct PasswordNormalization: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String { case none, rfc8265 }

    private let kind: Kind

    /// Passwords are bytes, taken as they are.
    public static let none = Self(kind: .none)

    /// The profile OpaqueString of [RFC 8265](https://www.rfc-editor.org/rfc/rfc8265) §4: spaces of all scripts become
    /// U+0020, then normalization form C. Passwords that are empty, no UTF-8, or have characters outside the
    /// FreeformClass of RFC 8264 (controls, unassigned, private use …) are refused.
    ///
    /// A password beyond ASCII passes through strings on the way, whose memory is given back unwiped.
    ///
    /// Refusing what is unassigned keeps a password's form the same with every later version of Unicode. U+200C
    /// is let pass behind a virama only, not between joining letters.
    public static let rfc8265 = Self(kind: .rfc8265)

    /// The name.
    public var description: String { kind.rawValue }

    /// The normalised password, `nil` where it is as it was. Throws ``PasswordError/passwordNotAllowed``.
    func apply(to password: Span<UInt8>) throws(PasswordError) -> SecretBytes? {
        guard kind != .none else { return nil }
        // ASCII is its own normal form, and then no copy is made of it.
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
