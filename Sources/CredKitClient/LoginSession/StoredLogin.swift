// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A login session as it is kept between two runs of a program.
public struct StoredLogin: Sendable, Hashable {
    /// The session's name.
    public let name: String

    /// The server's URL.
    public let server: String

    /// The user's name.
    public let account: String

    /// Whether the password is in the keychain, so that the session renews itself.
    public let savesPassword: Bool
}
