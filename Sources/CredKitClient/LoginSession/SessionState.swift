// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// All of a session that changes.
struct SessionState: Sendable {
    /// Why no login is tried with a password any more.
    struct Rejection: Sendable {
        let password: RejectedPassword
        let error: LoginError
    }

    /// A request that is under way.
    struct Request: Sendable {
        let interface: String
        let cancel: @Sendable () -> Void
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
    /// The key of the session's file, once there is one.
    var key: SessionKey?
    var isSaveQueued = false
    /// Why the last save failed.
    var saveError: LoginError?
    var nextRequest = 0
    var requests: [Int: Request] = [:]

    init(cookieExpiry: CookieExpiryPolicy) { jar = CookieJar(expiryPolicy: cookieExpiry) }

    /// Forgets the user, and what the server knows them by.
    mutating func forgetUser() {
        logins.loggedOut()
        jar = CookieJar(limits: jar.limits, expiryPolicy: jar.expiryPolicy)
        token = nil
        account = nil
        timeOffset = nil
        acceptedTimeOffset = nil
        savesPassword = false
        rejection = nil
        key = nil
    }
}
