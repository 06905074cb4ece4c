// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The SHA-256 digest of a public key (the DER of SubjectPublicKeyInfo), written as `sha256//` and Base64, as
/// curl's `--pinnedpubkey` has it.
public struct PublicKeyPin: Sendable, Hashable, CustomStringConvertible {
    /// `sha256//` and 44 characters of Base64.
    public let description: String

    /// Parse a pin.
    ///
    /// - Parameter text: `sha256//` and 44 characters of Base64.
    /// - Throws: ``LoginError/invalidRequest``.
    public init(_ text: String) throws(LoginError) { description = text }
}
