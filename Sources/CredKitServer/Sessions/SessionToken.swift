// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// A token that represents a login until it expires: 32 random bytes in base64url, 43 characters.
///
/// It prints as `‹redacted›`. Send ``text`` to the client, and nowhere else.
public struct SessionToken: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The secret text. It is valid in cookies, headers and URLs; do not put it into URLs.
    public let text: String

    /// Returns a new token.
    static func random() -> Self {
        Self(text: Base64.urlSafe.unpadded.encode(SecureRandom.bytes(count: 32)))
    }

    /// Returns whether both tokens are the same, in a time that does not depend on where they differ.
    public static func == (left: Self, right: Self) -> Bool {
        ConstantTime.areEqual(left.text.utf8Span.span, right.text.utf8Span.span)
    }

    /// Hashes the text.
    public func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// `‹redacted›`, never the token.
    public var description: String { "‹redacted›" }

    /// `‹redacted›`, never the token.
    public var debugDescription: String { description }

    /// A mirror without children: dumping a token reveals nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
