// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A saved login session.
public struct SavedSession: Sendable, Hashable {
    /// The session's name.
    public let name: String

    /// The server's URL.
    public let server: String

    /// The user name.
    public let account: String

    /// Whether the password is in the keychain, so that the session can renew itself.
    public let savesPassword: Bool

    /// Whether requests may be sent to other computers over unencrypted http, because the login was.
    public let allowsInsecureHTTP: Bool
}
