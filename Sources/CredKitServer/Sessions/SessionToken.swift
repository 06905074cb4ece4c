// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A token that represents a login until it expires: 32 random bytes in base64url, 43 characters.
///
/// It prints as `‹redacted›`. Send ``text`` to the client, and nowhere else.
public struct SessionToken: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// The secret text. It is valid in cookies, headers and URLs; do not put it into URLs.
    public let text: String

    /// `‹redacted›`, never the token.
    public var description: String { "‹redacted›" }

    /// `‹redacted›`, never the token.
    public var debugDescription: String { description }

    /// A mirror without children: dumping a token reveals nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
