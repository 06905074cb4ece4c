// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
public import CredKitKeychain
internal import HTTPTypes
internal import Logging

/// A program's login to a server: it logs in, renews expired logins, and saves the login for later processes.
///
/// ```swift
/// let session = try LoginSession(
///     server: "https://school.example",
///     profile: .timestamped(keyPhrase: "school-2012"),
///     keychain: try await Keychain.open()
/// )
/// if try await !session.restore() { try await session.logIn(username: "alice", password: password) }
/// let students = try await session.value(of: .students(classID: 666))
/// try await session.logOut()
/// ```
///
/// - The password is stored in the keychain and not kept in the session. Cookies and token are saved in an
///   encrypted file whose key is in the keychain, so that a later process can continue.
/// - When a response means that the login has expired, the session logs in again, once for all waiting
///   requests, and repeats each of them once.
/// - Cookies, tokens and `Authorization` are sent only to ``Configuration/credentialOrigins``, regardless of
///   redirects.
/// - A password that the server has rejected is not tried again until it changes.
///
/// A session can be used by many tasks at once. Cancelling a task cancels only its own request.
public final class LoginSession: Sendable {
    /// The server's URL, to which paths are appended.
    package let server: HTTPURL
    /// The URL of the server that logs users in.
    let loginServer: HTTPURL
    let profile: LoginProfile
    /// The mechanism of the profile.
    let mechanism: any LoginMechanism
    let keychain: Keychain?
    let configuration: Configuration
    let credentialOrigins: Set<Origin>
    let runner: RequestRunner
    /// The header of the token.
    let tokenField: HTTPField.Name?
    /// Where the token comes from.
    let tokenSource: LoginTokenSource
    /// Whether tokens are bound to a key.
    let dpopMode: DPoPMode?
    /// What servers want to find in the proofs of that key.
    let dpopNonces = DPoPNonces()
    // Copied from profile and configuration for each request, because reading them there costs more than
    // using them.
    let expiry: LoginProfile.ExpiryRule
    let headers: HTTPFields
    let envelope: Envelope
    let pathPrefix: String?
    let version: String?
    /// The program's own interceptors; `nil` if there are none.
    let interceptors: RequestInterceptors?
    /// Shows each request as it is sent; `nil` for nothing.
    let trace: (@Sendable (String) -> Void)?
    let logger: Logger
    let now: @Sendable () -> UnixTime
    let state: Lock<SessionState>
    let underWay = RequestsUnderWay()
    /// What spares a renewal the work of PBKDF2.
    let scramKeys = SCRAMKeyCache()
    /// The stored responses; `nil` if nothing is stored.
    let cache: ResponseCache?
    let eventBroadcaster = LoginEventBroadcaster()

    /// The name that the session is saved under.
    public let name: String

    /// Creates a session. Nothing is sent yet, and no saved session is read; without a transport, the files that
    /// ``Configuration/connection`` names are.
    ///
    /// - Parameters:
    ///   - server: The server's URL, including the common path of its endpoints if there is one.
    ///   - profile: How users log in.
    ///   - keychain: The keychain for the password and for the key of the session file. If it is `nil`,
    ///     nothing is saved, and an expired login cannot be renewed.
    ///   - configuration: Other settings.
    ///   - transport: The transport for requests; libcurl if `nil`.
    /// - Throws: ``ClientError/invalidURL``; ``ClientError/invalidProfile``; ``ClientError/insecureConnection``
    ///   for unencrypted http to another computer; ``ClientError/invalidRequest`` for a name that is too long,
    ///   or for credential origins that do not include the server's own, or that of the profile's server.
    public init(
        server: String,
        profile: LoginProfile,
        keychain: Keychain?,
        configuration: Configuration = Configuration(),
        transport: (any HTTPTransport)? = nil
    ) throws(ClientError) {
        let url = try HTTPURL(server)
        try profile.check()
        // A transport from the caller is assumed to connect to the hosts in its URLs.
        let routes = transport == nil ? ConnectionRoutes(configuration.connection) : .direct
        self.server = url
        loginServer = try profile.server.map { (text) throws(ClientError) in try HTTPURL(text) } ?? url
        mechanism = profile.mechanism
        tokenSource = mechanism.tokenSource
        dpopMode = (mechanism as? OAuthMechanism)?.dpop
        let allowsInsecureHTTP = configuration.allowsInsecureHTTP && tokenSource == .responses
        for origin in [url.origin, loginServer.origin] {
            guard origin.isSecure || allowsInsecureHTTP || routes.isLocal(origin) else {
                throw .insecureConnection(
                    "refusing unencrypted http to \(origin): an attacker could read and change everything"
                )
            }
        }
        self.profile = profile
        self.keychain = keychain
        self.configuration = configuration
        tokenField = profile.tokenHeader.flatMap { HTTPField.Name($0) }
        expiry = profile.expiry
        var headers = configuration.headers
        if !headers.hasField(.userAgent) { headers.append(Self.userAgent) }
        self.headers = headers
        envelope = configuration.envelope
        pathPrefix = configuration.pathPrefix
        version = configuration.version
        interceptors = configuration.interceptors.isEmpty ? nil : configuration.interceptors
        trace = configuration.trace
        logger = configuration.logger
        now = configuration.now
        credentialOrigins = configuration.credentialOrigins ?? [url.origin]
        guard credentialOrigins.contains(url.origin) else {
            throw .invalidRequest("credentialOrigins must contain the server's own origin, \(url.origin)")
        }
        // The password is sent there. A profile from elsewhere must not be able to choose that alone.
        guard credentialOrigins.contains(loginServer.origin) else {
            throw .invalidRequest(
                "the login profile names the server \(loginServer.origin), which credentialOrigins does not contain"
            )
        }
        let clock = CacheClock(wall: configuration.now, uptime: configuration.uptime)
        cache = try configuration.cache.map { (cache) throws(ClientError) in
            try ResponseCache(cache, clock: clock)
        }
        name = configuration.name ?? url.origin.description
        guard !name.isEmpty, name.utf8.count <= 1024, !name.utf8.contains(0) else {
            throw .invalidRequest("invalid session name: it must have 1 to 1,024 bytes and no NUL")
        }
        let carrier: any HTTPTransport
        if let transport {
            carrier = transport
        } else {
            carrier = try Self.transport(configuration)
        }
        runner = RequestRunner(
            transport: carrier,
            rules: RedirectRules(
                credentialOrigins: credentialOrigins,
                allowsInsecureHTTP: allowsInsecureHTTP,
                routes: routes
            ),
            total: configuration.timeouts.total,
            maximumBodyByteCount: configuration.maximumBodyByteCount
        )
        state = Lock(SessionState(cookieExpiry: configuration.cookieExpiry))
    }

    private static func transport(_ configuration: Configuration) throws(ClientError) -> any HTTPTransport {
        let timeouts = configuration.timeouts
        return try CurlTransport(
            .init(
                connectTimeout: timeouts.connect,
                idleTimeout: timeouts.idle,
                connection: configuration.connection
            )
        )
    }

    /// The user who is logged in, as far as is known locally; `nil` if there is none.
    public var account: String? { state.withLock { $0.account } }

    /// How far the server's clock was ahead of UTC at the first login, for a profile without a time zone; negative if
    /// it was behind. Show it to the user: 8 hours is China's offset. `nil` if it is unknown.
    public var serverUTCOffset: Duration? { state.withLock { $0.serverUTCOffset } }

    /// Accepts a new UTC offset of the server's clock after ``ClientError/serverUTCOffsetChanged``. It is used by the
    /// next login.
    ///
    /// - Parameter offset: The error's ``ClientError/serverUTCOffset``: how far the clock is ahead of UTC.
    public func trustServerUTCOffset(_ offset: Duration) { state.withLock { $0.trustedUTCOffset = offset } }

    /// The session's events from now on, until the session is deallocated. Each access creates a separate stream.
    public var events: AsyncStream<LoginEvent> { eventBroadcaster.stream() }

    /// The stored cookies. Their descriptions do not show the values.
    public var cookies: [StoredCookie] { state.withLock { $0.jar.cookies } }
}

extension LoginSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The session's name and server.
    public var description: String { "LoginSession(\(name), \(server))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror of the name only, without cookies, tokens and headers.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description], displayStyle: .class)
    }
}

extension LoginSession.Configuration: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The name, and the names of the headers. Header values may be secrets of the program.
    public var description: String {
        "LoginSession.Configuration(\(name ?? "-"), headers: \(headers.map(\.name.rawName)))"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without the headers' values.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description], displayStyle: .struct)
    }
}

extension LoginSession {
    /// Whether requests to a URL have the session's credentials, and are signed.
    package func sendsCredentials(to url: HTTPURL) -> Bool { credentialOrigins.contains(url.origin) }

    /// Whether a request may be signed: it goes to an origin that receives credentials, and no other has chosen its URL.
    func signs(_ chain: RequestChain) -> Bool {
        sendsCredentials(to: chain.step.url) && !chain.isRedirectTainted
    }
}
