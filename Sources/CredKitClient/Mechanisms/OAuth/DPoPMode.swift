// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Whether the tokens of an OAuth login are bound to a key ([RFC 9449](https://www.rfc-editor.org/rfc/rfc9449)): a token
/// alone is then of no use to a thief.
public enum DPoPMode: String, Sendable, Hashable, Codable {
    /// Tokens are bound to a key if the server supports that; the log says if it does not. A login whose token was bound does not
    /// go back.
    case preferred
    /// Tokens are bound to a key, or the login fails.
    case required
}
