// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import CredKitKeychain

/// The mutable state of a session.
struct SessionState: Sendable {
    /// The reason why no login is attempted with a password any more.
    struct Rejection: Sendable {
        let password: RejectedPassword
        let error: ClientError
    }

    /// The last failed renewal.
    struct Failure: Sendable {
        /// The number of failed renewals.
        var number = 0
        var error = ClientError.cancelled
    }

    var logins = RenewalState()
    var jar: CookieJar
    var token: SecretBytes?
    /// When the token should be replaced, as far as is known.
    var tokenExpiry: UnixTime?
    /// The key that the token is bound to; `nil` for none.
    var boundKey: DPoPKey?
    /// The thumbprint of the key that the token of this login was bound to at last, also if there is no key any more.
    var boundThumbprint: String?
    /// The words of the profile's scope that the server did not grant.
    var missingScope: [String] = []
    /// The secret of the next renewal, while the keychain does not have it.
    var heldSecret: HeldSecret?
    /// How often the token of this login has been renewed, by all programs that share the session.
    var renewalCount = 0
    /// The login whose cookies were taken over from another program's last.
    var adopted: RenewalState.Generation?
    var account: String?
    /// Whether the login proved who the account is; see ``LoginMechanism/provesAccount``.
    var provesAccount = true
    /// How far the server's clock was ahead of UTC at the first login.
    var serverUTCOffset: Duration?
    /// The offset that is accepted instead.
    var trustedUTCOffset: Duration?
    /// Whether this session saved the password in the keychain.
    var savesPassword = false
    /// The item with the secret of a restored login, which may have had another mechanism or profile; `nil` if there is
    /// none.
    var restoredSecretKey: CredentialKey?
    /// What a restored login trusted; `nil` if that is what this session does.
    var restoredTrust: SessionTrust?
    var rejection: Rejection?
    /// The renewal in progress.
    var renewal: SharedOutcome<Void, ClientError>?
    /// The renewal's task.
    var cancelRenewal: (@Sendable () -> Void)?
    /// Completes when all queued operations are done.
    var queue: Task<Void, Never>?
    var failure = Failure()
    /// The key of the session file, once there is one.
    var key: SessionKey?
    /// A random ID of the login in the session file. The file of another login is left alone.
    var loginID = ""
    /// Passwords that a logout could not remove from the keychain.
    var leftPasswords: Set<CredentialKey> = []
    var isSaveQueued = false
    /// Whether the last save failed.
    var isUnsaved = false

    init(cookieExpiry: CookieExpiryPolicy) { jar = CookieJar(expiryPolicy: cookieExpiry) }

    /// Whether an expired login can be renewed.
    var canRenew: Bool { savesPassword || heldSecret != nil }

    /// Forgets the user, and their cookies and token.
    mutating func forgetUser() {
        if logins.hasUser { logins.loggedOut() }
        jar = CookieJar(limits: jar.limits, expiryPolicy: jar.expiryPolicy)
        token = nil
        tokenExpiry = nil
        boundKey = nil
        boundThumbprint = nil
        missingScope = []
        heldSecret = nil
        renewalCount = 0
        account = nil
        provesAccount = true
        serverUTCOffset = nil
        trustedUTCOffset = nil
        savesPassword = false
        restoredSecretKey = nil
        restoredTrust = nil
        rejection = nil
        key = nil
        loginID = ""
    }
}

/// The secret of the next renewal, while the keychain does not have it.
struct HeldSecret: Sendable {
    enum Place: Sendable {
        /// It is only kept in memory.
        case memory
        /// It belongs in the keychain in the place of another one, or of none. If the keychain has any other than that,
        /// another program has logged in since, and this secret is out of date.
        case keychain(replacing: SecretBytes?)
    }

    let secret: SecretBytes
    let place: Place
    /// The key that the secret is bound to; `nil` for none.
    let key: DPoPKey?
}
