// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
public import HTTPTypes
public import Logging

extension LoginSession {
    /// The settings of a session.
    public struct Configuration: Sendable {
        /// The name that the session is saved under; the server's origin if `nil`. Sessions with the same
        /// name replace each other.
        public var name: String?

        /// The keychain service that the password is saved under; the origin of the server that logs users in if `nil`.
        public var keychainService: String?

        /// The origins that receive cookies, tokens and `Authorization`; the server's own origin if `nil`.
        ///
        /// With a login at one server and data at another, it contains both:
        ///
        /// ```swift
        /// profile.server = "https://login.school.example"
        /// configuration.credentialOrigins = [
        ///     try Origin("https://login.school.example"), try Origin("https://data.school.example"),
        /// ]
        /// let session = try LoginSession(server: "https://data.school.example", profile: profile, …)
        /// ```
        public var credentialOrigins: Set<Origin>?

        /// Headers of every request to ``credentialOrigins``, for example device, kind of client and
        /// language.
        public var headers: HTTPFields = [:]

        /// The envelope of every response whose endpoint names no other.
        public var envelope = Envelope.none

        /// The path prefix of every endpoint that names none.
        public var pathPrefix: String?

        /// The version of every endpoint that names none.
        public var version: String?

        /// The timeouts of a request.
        public var timeouts = Timeouts()

        /// The maximum size of a response body in bytes; 16 MiB by default. The answers of logins and logouts have at most 1 MiB.
        ///
        /// JSON that is decoded at once may have one value or name for each 16 of these bytes, and a page as many elements. A
        /// program that requests denser JSON in one response raises this, and what a response can cost in memory.
        public var maximumBodyByteCount = 16 << 20

        /// How long cookies are stored.
        public var cookieExpiry = CookieExpiryPolicy.asSent

        /// How to connect to the server: certificates, resolutions, a Unix socket, a proxy. It has no effect
        /// on a transport that is passed to the session, which has its own settings.
        public var connection = ConnectionSettings()

        /// Whether requests may be sent unencrypted to other computers and through proxies. An attacker on
        /// the network can then read them, including cookies and tokens, and change the responses.
        public var allowsInsecureHTTP = false

        /// Whether a timestamped login waits, if the server asks for a delay of up to a minute, and retries
        /// once with a new challenge. A server that issues bare minutes accepts each user once per minute.
        public var retriesWithNewChallenge = true

        /// Whether a session that is logged in by SCRAM may go back to another mechanism, or to SCRAM without the channel
        /// binding that it required, and one whose tokens are bound to a key to a profile without ``DPoPMode``: otherwise ``LoginSession/restore()`` and logins throw
        /// ``ClientError/mechanismDowngrade``. Set it when the server has really gone back.
        ///
        /// The mechanism of a session is remembered in its session file: not without a keychain, nor after a logout, and not for
        /// a session of another name.
        public var allowsMechanismDowngrade = false

        /// Returns a one-time code of a user name, when the server asks for one after the password
        /// (``LoginProfile/secondStep``): computed with `OneTimeCodeKey`, or asked of the user. `nil` ends the login with
        /// ``ClientError/oneTimeCodeRequired``. It is called once for each login and renewal, at any time, and requests wait for
        /// it.
        ///
        /// ```swift
        /// configuration.oneTimeCode = { _ in try? SecretBytes(key.code(at: .now).text) }
        /// ```
        public var oneTimeCode: (@Sendable (_ account: String) async throws(ClientError) -> SecretBytes?)?

        /// Signs the requests to ``credentialOrigins`` whose endpoint names no other signer; `nil` signs nothing.
        public var signer: RequestSigner?

        /// The cache of responses; `nil` for none.
        public var cache: CacheConfiguration?

        /// The program's own stages of each request, for example for tracing or for additional headers.
        public var interceptors = RequestInterceptors()

        /// The folder of the encrypted session files; `$XDG_STATE_HOME/credkit/sessions` if `nil`.
        public var folder: String?

        /// The logger. Secrets are never logged, at any level.
        public var logger = Logger(label: "CredKit.LoginSession")

        /// Gets lines about each request that is sent, its response and its connection, in which secrets are masked; not about
        /// the requests of a login.
        package var trace: (@Sendable (String) -> Void)?

        /// Whether redirects to other origins than those of the credentials are refused. What a server says of itself must come from
        /// that server.
        var staysWithinCredentialOrigins = false

        /// How long a user may take in the browser.
        var browserDeadline = Duration.seconds(300)

        /// Gets what a user should know of a login, also while it waits for them.
        package var notice: (@Sendable (String) -> Void)?

        /// Whether new tokens that cannot be saved are revoked at once, because no later program could use or revoke them. A program
        /// that goes on may use them.
        package var revokesUnsavedTokens = false

        /// The clock.
        package var now: @Sendable () -> UnixTime = { .now }

        /// The clock that a login waits with.
        package var clock: any Clock<Duration> = ContinuousClock()

        /// A clock that cannot be set.
        package var uptime: @Sendable () -> ContinuousClock.Instant = { .now }

        /// Creates the default configuration.
        public init() {}
    }
}
