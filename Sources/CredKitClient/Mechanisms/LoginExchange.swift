// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
public import HTTPTypes

/// The requests of one login, as a ``LoginMechanism`` makes them.
///
/// Every request goes to the server that the profile names, or else to that of the session, with the headers and the
/// cookies of the session, and all of them end at one deadline. Cookies in the answers belong to the login if it
/// succeeds.
public struct LoginExchange: Sendable {
    /// An answer of the server.
    public struct Answer: Sendable {
        let response: FinalResponse<[UInt8]>

        /// The head of the response.
        public var head: HTTPResponse { response.head }

        /// The body of the response.
        public var body: [UInt8] { response.body }

        /// The channel binding of the connection, if it was asked for.
        var channelBinding: SCRAM.ChannelBinding?

        /// The values of the cookies that the login had when the request was sent.
        var sentCookies: [String] = []

        /// The key of the proof that the request had.
        var dpop: DPoPBinding?

        /// Whether it is a redirect, which was not followed.
        public var isRedirect: Bool { response.outcome.stoppedAt != nil }
    }

    /// How to treat a redirect.
    public enum RedirectRule: Sendable {
        /// A redirect is the answer. A secret is sent only to the path that the profile names.
        case stop
        /// Redirects are followed within the session's credential origins, and refused beyond: another origin could
        /// choose the URL, and so the answer.
        case followWithinOrigins
    }

    /// The maximum size of an answer in bytes. Answers to logins are small, and several decoders read them.
    static let maximumAnswerByteCount = 1 << 20

    /// What it is an exchange of.
    let flow: LoginFlow
    let cookies: LoginCookies
    /// The key that tokens are bound to; `nil` if they are not.
    let dpop: DPoPBinding?
    private let runner: RequestRunner
    private(set) var deadline: ContinuousClock.Instant

    /// Creates the exchange of one login or logout. Its requests end at the deadline, or at that of a request that begins now
    /// if there is none.
    init(
        _ flow: LoginFlow,
        cookies: LoginCookies,
        dpop: DPoPBinding? = nil,
        deadline: ContinuousClock.Instant? = nil
    ) {
        self.flow = flow
        self.cookies = cookies
        self.dpop = dpop
        runner = flow.runner.limitingBodies(to: Self.maximumAnswerByteCount)
        self.deadline = deadline ?? flow.runner.deadline
    }

    /// The same exchange with the whole time of a request ahead of it.
    var restarted: Self {
        var copy = self
        copy.deadline = runner.deadline
        return copy
    }

    /// The same exchange with less time.
    func ending(by deadline: ContinuousClock.Instant) -> Self {
        var copy = self
        copy.deadline = min(deadline, self.deadline)
        return copy
    }

    /// Returns a one-time code of an account, for a server that asks for one after the password: what
    /// ``LoginSession/Configuration/oneTimeCode`` returns.
    ///
    /// - Parameter account: The user name.
    /// - Returns: The code.
    /// - Throws: ``ClientError/oneTimeCodeRequired`` if there is none; what the function throws.
    public func oneTimeCode(for account: String) async throws(ClientError) -> SecretBytes {
        guard let code = try await flow.oneTimeCode?(account) else { throw .oneTimeCodeRequired }
        return code
    }

    /// Sends a request to the server.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path, below the base path of the server's URL. It begins with a slash.
    ///   - query: The query without its question mark, already encoded; `nil` for none. Servers and proxies log it: it is
    ///     no place for a secret.
    ///   - headers: Headers of this request, which replace those of the session.
    ///   - body: The body; `nil` for none.
    ///   - redirects: How to treat a redirect.
    /// - Returns: The answer, with any status.
    /// - Throws: ``ClientError/invalidURL`` for a malformed path, ``ClientError/redirectRefused``, ``ClientError/overLimit``
    ///   for an answer of more than 1 MiB, errors of the connection, and ``ClientError/timedOut``.
    public func send(
        _ method: HTTPRequest.Method,
        path: String,
        query: String? = nil,
        headers: HTTPFields = [:],
        body: HTTPRequestBody? = nil,
        redirects: RedirectRule = .stop
    ) async throws(ClientError) -> Answer {
        try await send(
            method,
            path: path,
            query: query,
            headers: headers,
            body: body,
            redirects: redirects,
            hops: [LoginCredentials(cookies: cookies)]
        )
    }

    /// Sends a request through stages.
    func send(
        _ method: HTTPRequest.Method,
        path: String,
        query: String? = nil,
        headers: HTTPFields,
        body: HTTPRequestBody? = nil,
        redirects: RedirectRule = .stop,
        hops: [any RequestInterceptor]
    ) async throws(ClientError) -> Answer {
        guard path.utf8.first == UInt8(ascii: "/") else {
            throw .invalidURL("a login mechanism requests '\(path)', which does not begin with a slash")
        }
        var url = try flow.server.appending(path: path)
        if let query { url = HTTPURL(origin: url.origin, path: url.path, query: query) }
        var request = OutgoingRequest(method: method, url: url, headers: flow.headers, body: body)
        for name in Set(headers.map(\.name)) { request.headers[fields: name] = headers[fields: name] }
        if request.headers[.userAgent] == nil { request.headers[.userAgent] = "CredKit" }
        let sentCookies = cookies.contents.jar.cookies.map(\.value)
        let response = try await runner.run(
            request,
            hops: hops,
            stops: { [origins = flow.credentialOrigins] url in
                switch redirects {
                case .stop: true
                case .followWithinOrigins: !origins.contains(url.origin)
                }
            },
            deadline: deadline
        )
        if case .followWithinOrigins = redirects, let target = response.outcome.stoppedAt {
            throw .redirectRefused(
                "the server redirects a request of the login to \(target.origin), not a credential origin",
                status: response.head.status.code
            )
        }
        return Answer(response: response, sentCookies: sentCookies)
    }
}
