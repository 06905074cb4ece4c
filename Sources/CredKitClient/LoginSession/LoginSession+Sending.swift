// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
public import HTTPTypes
internal import Logging

extension LoginSession {
    /// Sends a request to an endpoint of the server, and returns the decoded value; see ``send(_:in:cachePolicy:)``.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint with its parameters.
    ///   - group: A group that can cancel the request; `nil` if only the calling task can.
    ///   - cachePolicy: How the cache is used, if the session has one.
    /// - Returns: The value.
    /// - Throws: A ``ClientError`` of the connection, the response, or the renewal.
    public func value<Value>(
        of endpoint: Endpoint<Value>,
        in group: CancellationGroup? = nil,
        cachePolicy: CachePolicy = .default
    ) async throws(ClientError) -> Value {
        try await send(endpoint, in: group, cachePolicy: cachePolicy).value
    }

    /// Sends a request to an endpoint of the server.
    ///
    /// If the response means that the login has expired, the login is renewed and the request is sent once
    /// more.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint with its parameters.
    ///   - group: A group that can cancel the request; `nil` if only the calling task can.
    ///   - cachePolicy: How the cache is used, if the session has one.
    /// - Returns: The response.
    /// - Throws: A ``ClientError`` of the connection, the response, or the renewal; ``ClientError/notCached`` with
    ///   ``CachePolicy/onlyIfCached`` if there is no stored response.
    public func send<Value>(
        _ endpoint: Endpoint<Value>,
        in group: CancellationGroup? = nil,
        cachePolicy: CachePolicy = .default
    ) async throws(ClientError) -> Endpoint<Value>.Response {
        let url = try url(of: endpoint)
        guard let group else { return try await send(endpoint, to: url, cachePolicy: cachePolicy).response }
        return try await group.run(endpoint) { () async throws(ClientError) in
            try await self.send(endpoint, to: url, cachePolicy: cachePolicy).response
        }
    }

    /// Sends a request to any server. Outside ``Configuration/credentialOrigins``, it contains neither the
    /// session's cookies nor its token, nor its headers.
    ///
    /// Redirects are followed and an expired login is renewed, as with endpoints. A response is returned
    /// with any status.
    ///
    /// - Parameters:
    ///   - request: The head, with scheme, authority and path.
    ///   - body: The body; `nil` for none.
    ///   - cachePolicy: How the cache is used, if the session has one.
    /// - Returns: The head and the body of the response, and how the cache took part.
    /// - Throws: A ``ClientError`` of the connection or the renewal; ``ClientError/notCached`` with
    ///   ``CachePolicy/onlyIfCached`` if there is no stored response.
    public func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody? = nil,
        cachePolicy: CachePolicy = .default
    ) async throws(ClientError) -> (head: HTTPResponse, body: [UInt8], cacheUse: CacheUse) {
        let url = try request.url()
        let response = try await exchange(
            OutgoingRequest(method: request.method, url: url, headers: request.headerFields, body: body),
            CallOptions(envelope: envelope, cachePolicy: cachePolicy)
        )
        return (response.head, response.body, response.cacheUse)
    }

    /// Returns the URL of an endpoint.
    func url<Value>(of endpoint: Endpoint<Value>) throws(ClientError) -> HTTPURL {
        try endpoint.url(
            on: try endpoint.server.map { (text) throws(ClientError) in try HTTPURL(text) } ?? server,
            pathPrefix: pathPrefix,
            version: version
        )
    }

    // MARK: One request

    /// What an endpoint says about a call.
    struct CallOptions: Sendable {
        var envelope: Envelope
        var duplicates: DuplicatePolicy?
        var cachePolicy = CachePolicy.default
        /// The user who may send the request; `nil` for the current one.
        var user: Int?
    }

    /// Sends a request to an endpoint at another URL than its own, as a certain user, and returns the URL that the
    /// response came from as well.
    func send<Value>(
        _ endpoint: Endpoint<Value>,
        to url: HTTPURL,
        as user: Int? = nil,
        cachePolicy: CachePolicy
    ) async throws(ClientError) -> (response: Endpoint<Value>.Response, url: HTTPURL) {
        var request = OutgoingRequest(method: endpoint.method, url: url, headers: endpoint.headers)
        if let payload = endpoint.payload {
            request.body = try payload.body()
            if let type = payload.contentType, request.headers[.contentType] == nil {
                request.headers[.contentType] = type
            }
        }
        let options = CallOptions(
            envelope: endpoint.envelope ?? envelope,
            duplicates: endpoint.duplicates,
            cachePolicy: cachePolicy,
            user: user
        )
        let answer = try await exchange(request, options)
        let response = try endpoint.decode(
            answer.head,
            answer.body,
            defaultEnvelope: envelope,
            tokenField: tokenField,
            cacheUse: answer.cacheUse
        )
        return (response, answer.step.url)
    }

    /// Sends a request with the session's own headers.
    private func exchange(
        _ request: OutgoingRequest,
        _ options: CallOptions
    ) async throws(ClientError) -> FinalResponse<[UInt8]> {
        guard !Task.isCancelled else { throw .cancelled }
        var request = request
        if !credentialOrigins.contains(request.url.origin) {
            if !request.headers.hasField(.userAgent) { request.headers.append(Self.userAgent) }
        } else if request.headers.isEmpty {
            request.headers = headers
        } else {
            let own = request.headers
            for field in headers where !own.hasField(field.name) { request.headers.append(field) }
        }
        return try await run(request, options, deadline: runner.deadline)
    }

    /// The default user agent of the session.
    static let userAgent = HTTPField(name: .userAgent, value: "CredKit")

    /// Sends a request through all stages.
    func run(
        _ request: OutgoingRequest,
        _ options: CallOptions,
        deadline: ContinuousClock.Instant
    ) async throws(ClientError) -> FinalResponse<[UInt8]> {
        guard cache != nil || options.cachePolicy != .onlyIfCached else { throw .notCached }
        let judge = ExpiryJudge(rule: expiry, origins: credentialOrigins, envelope: options.envelope)
        let duplicates = DuplicateInterceptor(
            session: self,
            policy: options.duplicates,
            envelope: options.envelope,
            cachePolicy: options.cachePolicy,
            user: options.user
        )
        let redirects = RedirectInterceptor(rules: runner.rules, stops: judge.isLoginPage)
        let renewal = RenewalInterceptor(
            session: self,
            judge: judge,
            cachePolicy: options.cachePolicy,
            user: options.user
        )
        let outer: [any RequestInterceptor] = [duplicates, renewal]
        var inner: [any RequestInterceptor] = [SessionCredentials(session: self)]
        if let cache {
            inner.append(
                CacheInterceptor(session: self, cache: cache, policy: options.cachePolicy, judge: judge)
            )
        }
        guard let own = interceptors else {
            return try await runner.run(request, through: outer + [redirects] + inner, deadline: deadline)
        }
        let stages = own.call + outer + own.attempt + [redirects] + own.hop + inner + own.transport
        // An interceptor that ignores the deadline is cancelled there.
        return try await DeadlineWatch.shared.run(until: deadline) { () async throws(ClientError) in
            try await self.runner.run(request, through: stages, deadline: deadline)
        }
    }
}
