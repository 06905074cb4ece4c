// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// The contents of a session file before encryption.
struct SessionContents: Codable, Sendable, Equatable {
    /// The server's URL.
    var server: String
    /// The origins that credentials are sent to.
    var credentialOrigins: [String]
    /// The login profile as JSON.
    var profile: Data
    /// The keychain service that the password is saved under.
    var service: String
    /// The user name.
    var account: String
    /// The random ID of the login; different for each login.
    var loginID: String
    /// The cookie jar.
    var cookies: Data
    /// The token from the server.
    var token: String?
    /// When the token should be replaced, in seconds since 1970.
    var tokenExpiry: Int64?
    /// The thumbprint of the key that the token is bound to; `nil` for none.
    var boundKey: String?
    /// How often the login has been renewed. A program with a lower number has an older token.
    var renewalCount = 0
    /// How far the server's clock was ahead of UTC at the first login, in minutes.
    var serverUTCOffsetMinutes: Int?
    /// Whether this session saved the password in the keychain.
    var savesPassword: Bool
    /// The password that the server has rejected, stored as a keyed hash so that no later process tries it
    /// again.
    var rejectedPassword: Data?
    /// Whether unencrypted http to other computers is allowed.
    var allowsInsecureHTTP: Bool
    /// The public keys of which the server must have one.
    var pinnedPublicKeys: [String]?
    /// The path of the file with the only authorities that are trusted.
    var authorities: String?

    /// What decides which server is the right one.
    var trust: SessionTrust {
        SessionTrust(pinnedPublicKeys: pinnedPublicKeys ?? [], authorities: authorities)
    }

    /// How far the server's clock was ahead of UTC at the first login.
    var serverUTCOffset: Duration? { serverUTCOffsetMinutes.map { .minutes($0) } }
}
