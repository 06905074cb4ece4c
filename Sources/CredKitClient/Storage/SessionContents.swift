// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// What a session keeps between two runs of a program, in the form in which it is sealed.
struct SessionContents: Codable, Sendable, Equatable {
    /// The server's URL.
    var server: String
    /// Where credentials are sent.
    var credentialOrigins: [String]
    /// The login profile as JSON.
    var profile: Data
    /// The service that the password is kept under in the keychain.
    var service: String
    /// The user's name.
    var account: String
    /// Which login this is of: random, and another one for each.
    var loginID: String
    /// The cookie jar.
    var cookies: Data
    /// The token that the server gave.
    var token: String?
    /// How far the server's clock was ahead of UTC at the first login, in minutes.
    var timeOffset: Int?
    /// Whether the password is in the keychain because this session put it there.
    var savesPassword: Bool
    /// Which password the server has rejected, so that no later process tries it again.
    var rejectedPassword: Data?
    /// Whether plain http may leave this computer.
    var allowsInsecureHTTP: Bool
}
