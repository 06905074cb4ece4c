// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A token that stands for a login until it expires: 32 random bytes in base64url, 43 characters.
///
/// It prints as `‹redacted›`; ``text`` is what goes to the client, and nowhere else.
public struct SessionToken: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// The secret text, fit for cookies, headers and URLs. Do not put it into the last.
    public let text: String

    /// `‹redacted›`, never the token.
    public var description: String { "‹redacted›" }

    /// `‹redacted›`, never the token.
    public var debugDescription: String { description }

    /// A mirror without children: dumping a token shows nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
