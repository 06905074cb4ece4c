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

    /// What the user entered to log in.
    package let secretKind: LoginProfile.SecretKind

    /// The name of the mechanism; `nil` if the profile cannot be read.
    package let mechanism: String?

    /// Whether an expired login is renewed without the user.
    package var renews: Bool { savesPassword && secretKind != .token }

    /// What decides which server is the right one.
    package let trust: SessionTrust
}

/// What decided at a login which server is the right one. It counts for later requests and logins as well.
package struct SessionTrust: Sendable, Hashable {
    /// The public keys of which the server must have one.
    let pinnedPublicKeys: [String]

    /// The path of the file with the only authorities that are trusted; `nil` for those of the system.
    let authorities: String?

    /// Completes connection settings. What they contain themselves is kept.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - checksFiles: Whether a file that others can change is refused.
    /// - Throws: ``ClientError/insecureFile`` and ``ClientError/unreadableFile`` for the file of the authorities;
    ///   ``ClientError/invalidRequest`` for a malformed key.
    package func fill(
        _ settings: inout ConnectionSettings,
        checksFiles: Bool = true
    ) throws(ClientError) {
        if settings.pinnedPublicKeys.isEmpty {
            for pin in pinnedPublicKeys { settings.pinnedPublicKeys.append(try PublicKeyPin(pin)) }
        }
        guard let authorities, settings.trustedCertificates == .system else { return }
        // Other users may have got access to it since the login.
        if checksFiles {
            try SettingsFile(authorities, "the certificates to trust").refuseIfOthersCanChange()
        }
        settings.trustedCertificates = .file(authorities)
    }
}
