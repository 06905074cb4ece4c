// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
public import CredKitKeychain
internal import HTTPTypes
internal import Logging

/// A program's login at a server: it logs in, stays logged in, and remembers who it is.
///
/// ```swift
/// let session = try LoginSession(
///     server: "https://school.example",
///     profile: .timestamped(keyPhrase: "itheima"),
///     keychain: try await Keychain.open()
/// )
/// if try await !session.restore() { try await session.logIn(username: "alice", password: password) }
/// let students = try await session.send(.students(classID: 666)).body
/// try await session.logOut()
/// ```
///
/// - The password goes to the keychain and does not stay in the session. Cookies and token are sealed in a file whose key is
///   in the keychain, so that a later process goes on where this one ends.
/// - When a response says that the login has expired, the session logs in again, once for all requests that wait, and
///   repeats each of them once.
/// - Cookies, tokens and `Authorization` are sent to ``Configuration/credentialOrigins`` alone, whatever a redirect says.
/// - A password that the server rejects is not tried again until it changes.
///
/// Sessions can be used from many tasks at once. Cancelling a task cancels its request, and nothing else.
public final class LoginSession: Sendable {
    /// The server's URL, which paths are added to.
    let server: HTTPURL
    let profile: LoginProfile
    let keychain: Keychain?
    let configuration: Configuration
    let credentialOrigins: Set<Origin>
    let runner: RequestRunner
    /// The header that carries the token.
    let tokenField: HTTPField.Name?
    // What each request needs of profile and configuration: to take it out of those costs more than to use it.
    let expiry: LoginProfile.ExpiryRule
    let headers: HTTPFields
    let envelope: Envelope
    let audience: String?
    let version: String?
    let logger: Logger
    let now: @Sendable () -> Int64
    let state: Lock<SessionState>
    let events = LoginEvents()

    /// The name that the session is kept under.
    public let name: String

    /// A session at a server. Nothing is sent or read yet.
    ///
    /// - Parameters:
    ///   - server: The server's URL, with a path if its interfaces are below one.
    ///   - profile: How its users log in.
    ///   - keychain: Where the password is remembered, and the key of the session's file. With `nil` nothing is kept, and
    ///     a login that expired cannot be renewed.
    ///   - configuration: What else can be set.
    ///   - transport: What carries the requests; libcurl if `nil`.
    /// - Throws: ``LoginError/invalidURL``, ``LoginError/invalidProfile``, ``LoginError/insecureConnection`` for plain
    ///   http to another computer, and ``LoginError/invalidRequest`` for a name that is too long, or credential
    ///   origins that the server's own is not among.
    public init(
        server: String,
        profile: LoginProfile,
        keychain: Keychain?,
        configuration: Configuration = Configuration(),
        transport: (any HTTPTransport)? = nil
    ) throws(LoginError) {
        let url = try HTTPURL(server)
        try profile.check()
        // A transport of the caller's is taken at its word: it connects to the hosts of its URLs.
        let routes = transport == nil ? ConnectionRoutes(configuration.connection) : .direct
        guard
            url.origin.isSecure || configuration.allowsInsecureHTTP || routes.staysOnThisComputer(url.origin)
        else {
            throw .insecureConnection(
                "\(url.origin) is not encrypted: whoever is on the way could read and change everything"
            )
        }
        self.server = url
        self.profile = profile
        self.keychain = keychain
        self.configuration = configuration
        tokenField = profile.tokenHeader.flatMap { HTTPField.Name($0) }
        expiry = profile.expiry
        var headers = configuration.headers
        if !headers.hasField(.userAgent) { headers.append(Self.userAgent) }
        self.headers = headers
        envelope = configuration.envelope
        audience = configuration.audience
        version = configuration.version
        logger = configuration.logger
        now = configuration.now
        credentialOrigins = configuration.credentialOrigins ?? [url.origin]
        // The login itself goes there, password and all.
        guard credentialOrigins.contains(url.origin) else {
            throw .invalidRequest("credentialOrigins must have the server's own origin in it, \(url.origin)")
        }
        name = configuration.name ?? url.origin.description
        guard !name.isEmpty, name.utf8.count <= 1024, !name.utf8.contains(0) else {
            throw .invalidRequest("a session's name has 1 to 1,024 bytes, and no NUL")
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
                allowedOrigins: credentialOrigins,
                allowsInsecureHTTP: configuration.allowsInsecureHTTP,
                routes: routes
            ),
            total: configuration.deadlines.total,
            maximumBodyByteCount: configuration.maximumBodyByteCount
        )
        state = Lock(SessionState(cookieExpiry: configuration.cookieExpiry))
    }

    private static func transport(_ configuration: Configuration) throws(LoginError) -> any HTTPTransport {
        let deadlines = configuration.deadlines
        return try CurlTransport(
            .init(
                connectTimeout: deadlines.connect,
                idleTimeout: deadlines.idle,
                connection: configuration.connection
            )
        )
    }

    /// The user who is logged in, as far as is known here; `nil` if nobody is.
    public var account: String? { state.withLock { $0.account } }

    /// How far the server's clock was ahead of UTC at the first login, in minutes, of a profile without a time zone. Show
    /// it to the user: 480 is China's. `nil` where none was seen.
    public var timeOffset: Int? { state.withLock { $0.timeOffset } }

    /// Accepts that the server's clock has another offset from now on, after ``LoginError/timeOffsetChanged``.
    ///
    /// - Parameter offset: The error's ``LoginError/timeOffset``, in minutes.
    public func acceptTimeOffset(_ offset: Int) { state.withLock { $0.acceptedTimeOffset = offset } }

    /// What happens to the session from now on. Each call makes a stream of its own.
    ///
    /// - Returns: The events, until the session is gone.
    public func watch() -> AsyncStream<LoginEvent> { events.stream() }

    /// The cookies that are kept. Printing one does not show its value.
    public var cookies: [StoredCookie] { state.withLock { $0.jar.cookies } }

    /// Runs what must not happen at the same time: logins, logouts, renewals, saving.
    ///
    /// - Parameter body: What to run, when everything before it is done. It is not cancelled with the caller.
    /// - Returns: Its result, and how to cancel it.
    func inTurn<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(LoginError) -> Value
    ) -> (outcome: SharedOutcome<Value>, cancel: @Sendable () -> Void) {
        let outcome = SharedOutcome<Value>()
        let task = state.withLock { state in
            let previous = state.queue
            let task = Task {
                await previous?.value
                do throws(LoginError) {
                    outcome.give(.success(try await body()))
                } catch {
                    outcome.give(.failure(error))
                }
            }
            state.queue = task
            return task
        }
        return (outcome, { task.cancel() })
    }

    /// Runs something in turn that is the caller's own: it is cancelled with the caller.
    func inTurnForCaller<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(LoginError) -> Value
    ) async throws(LoginError) -> Value {
        let (outcome, cancel) = inTurn(body)
        do throws(LoginError) {
            return try await outcome.value()
        } catch {
            if error == .cancelled { cancel() }
            throw error
        }
    }

    /// Runs something to its end, whether the task that wants it is cancelled or not.
    func shielded<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(LoginError) -> Value
    ) async throws(LoginError) -> Value {
        let task = Task { () async -> Result<Value, LoginError> in
            do throws(LoginError) { return .success(try await body()) } catch { return .failure(error) }
        }
        return try await task.value.get()
    }
}
