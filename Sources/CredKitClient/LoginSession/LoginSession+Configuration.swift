// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
public import HTTPTypes
public import Logging

extension LoginSession {
    /// What can be set of a session.
    public struct Configuration: Sendable {
        /// The name that the session is kept under; the server's origin if `nil`. Sessions of one name replace each other.
        public var name: String?

        /// The service that the password is kept under in the keychain; the server's origin if `nil`.
        public var service: String?

        /// Where cookies, tokens and `Authorization` are sent; the server's own origin if `nil`.
        public var credentialOrigins: Set<Origin>?

        /// Headers of every request to ``credentialOrigins``: device, kind of client, language.
        public var headers: HTTPFields = [:]

        /// The envelope of every response, unless an endpoint names another.
        public var envelope = Envelope.none

        /// The audience of every endpoint that names none.
        public var audience: String?

        /// The version of every endpoint that names none.
        public var version: String?

        /// How long a request may take.
        public var deadlines = Deadlines()

        /// The largest body that a response may have, in bytes; 16 MiB.
        public var maximumBodyByteCount = 16 << 20

        /// How long cookies are kept.
        public var cookieExpiry = CookieExpiryPolicy.asSent

        /// How the server is reached: certificates, resolutions, a Unix socket, a proxy. A transport that is handed to the
        /// session has its own settings, and these have no effect.
        public var connection = ConnectionSettings()

        /// Whether requests may go in clear to other computers than this one, and through proxies. Whoever is on the way
        /// reads them, cookies and tokens included, and changes what comes back.
        public var allowsInsecureHTTP = false

        /// Whether a timestamped login that is told to wait for up to a minute waits, and tries once more with a new time
        /// text. A server of the article's kind lets nobody log in twice in a minute.
        public var waitsForNewTimeText = true

        /// The folder of the sealed files; `$XDG_STATE_HOME/credkit/sessions` if `nil`.
        public var folder: String?

        /// Where to log. What is secret is never logged, at no level.
        public var logger = Logger(label: "CredKit.LoginSession")

        /// The clock, in seconds since 1970.
        package var now: @Sendable () -> Int64 = { SystemClock.now() }

        /// The values above.
        public init() {}
    }
}
