// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// All of a session that changes.
struct SessionState: Sendable {
    /// Why no login is tried with a password any more.
    struct Rejection: Sendable {
        let password: RejectedPassword
        let error: LoginError
    }

    /// Where a password is in the keychain.
    struct SavedPassword: Sendable, Hashable {
        let service: String
        let account: String

        init(_ service: String, _ account: String) {
            self.service = service
            self.account = account
        }
    }

    /// How the last renewal failed.
    struct Failure: Sendable {
        /// Counts the failed renewals.
        var number = 0
        var error = LoginError.cancelled
    }

    var logins = RenewalState()
    var jar: CookieJar
    var token: SecretBytes?
    var account: String?
    /// How far the server's clock was ahead of UTC at the first login, in minutes.
    var timeOffset: Int?
    /// The offset that is accepted in its place.
    var acceptedTimeOffset: Int?
    /// Whether the password is in the keychain because this session put it there.
    var savesPassword = false
    var rejection: Rejection?
    /// The renewal that is under way.
    var renewal: SharedOutcome<Void>?
    /// The renewal's task.
    var cancelRenewal: (@Sendable () -> Void)?
    /// Done when everything that was asked for one after the other is done.
    var queue: Task<Void, Never>?
    var failure = Failure()
    /// The key of the session's file, once there is one.
    var key: SessionKey?
    /// Which login the session's file is of: random. Another one's file is left alone.
    var loginID = ""
    /// What a logout could not remove from the keychain.
    var leftPasswords: Set<SavedPassword> = []
    var isSaveQueued = false
    /// Whether the last save failed.
    var isUnsaved = false

    init(cookieExpiry: CookieExpiryPolicy) { jar = CookieJar(expiryPolicy: cookieExpiry) }

    /// Forgets the user, and what the server knows them by.
    mutating func forgetUser() {
        if logins.hasUser { logins.loggedOut() }
        jar = CookieJar(limits: jar.limits, expiryPolicy: jar.expiryPolicy)
        token = nil
        account = nil
        timeOffset = nil
        acceptedTimeOffset = nil
        savesPassword = false
        rejection = nil
        key = nil
        loginID = ""
    }
}
