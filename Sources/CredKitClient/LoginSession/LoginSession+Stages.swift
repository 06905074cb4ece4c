// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension LoginSession {
    /// What an endpoint says about a call.
    struct CallOptions: Sendable {
        var envelope: Envelope
        var duplicates: DuplicatePolicy?
        var cachePolicy = CachePolicy.default
        /// The endpoint's own signer.
        var signer: RequestSigner?
        /// The user who may send the request; `nil` for the current one.
        var user: Int?
    }

    /// The default user agent of the session.
    static let userAgent = HTTPField(name: .userAgent, value: "CredKit")

    /// Returns the URL of an endpoint.
    func url<Value>(of endpoint: Endpoint<Value>) throws(ClientError) -> HTTPURL {
        try endpoint.url(
            on: try endpoint.server.map { (text) throws(ClientError) in try HTTPURL(text) } ?? server,
            pathPrefix: pathPrefix,
            version: version
        )
    }

    /// Returns the request for an endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint.
    ///   - url: The URL; that of the endpoint if `nil`.
    /// - Returns: The request, and what the endpoint says about the call.
    /// - Throws: ``ClientError/invalidURL``, ``ClientError/invalidRequest``, and errors of the payload.
    func outgoing<Value>(
        _ endpoint: Endpoint<Value>,
        to url: HTTPURL? = nil
    ) throws(ClientError) -> (request: OutgoingRequest, options: CallOptions) {
        let url = if let url { url } else { try self.url(of: endpoint) }
        var request = OutgoingRequest(method: endpoint.method, url: url, headers: endpoint.headers)
        if let payload = endpoint.payload {
            request.body = try payload.body()
            if let type = payload.contentType, request.headers[.contentType] == nil {
                request.headers[.contentType] = type
            }
        }
        addHeaders(to: &request)
        let envelope = endpoint.envelope ?? self.envelope
        let options = CallOptions(
            envelope: envelope,
            duplicates: endpoint.duplicates,
            signer: endpoint.signer
        )
        return (request, options)
    }

    /// Returns a request to any server.
    func outgoing(
        _ request: HTTPRequest,
        _ body: HTTPRequestBody?
    ) throws(ClientError) -> OutgoingRequest {
        let url = try request.url()
        var outgoing = OutgoingRequest(
            method: request.method,
            url: url,
            headers: request.headerFields,
            body: body
        )
        addHeaders(to: &outgoing)
        return outgoing
    }

    /// Adds the session's own headers.
    private func addHeaders(to request: inout OutgoingRequest) {
        if !credentialOrigins.contains(request.url.origin) {
            if !request.headers.hasField(.userAgent) { request.headers.append(Self.userAgent) }
        } else if request.headers.isEmpty {
            request.headers = headers
        } else {
            let own = request.headers
            for field in headers where !own.hasField(field.name) { request.headers.append(field) }
        }
    }

    /// Returns the stages of a request, from the outside in.
    func stages(_ options: CallOptions) -> [any RequestInterceptor] {
        let judge = ExpiryJudge(rule: expiry, origins: credentialOrigins, envelope: options.envelope)
        let signer = options.signer ?? configuration.signer
        let duplicates = DuplicateInterceptor(
            session: self,
            policy: options.duplicates,
            envelope: options.envelope,
            cachePolicy: options.cachePolicy,
            signer: signer?.identity,
            user: options.user
        )
        let isBound = configuration.staysWithinCredentialOrigins
        let redirects = RedirectInterceptor(rules: runner.rules) { [credentialOrigins] target in
            judge.isLoginPage(target) || isBound && !credentialOrigins.contains(target.origin)
        }
        let renewal = RenewalInterceptor(
            session: self,
            judge: judge,
            cachePolicy: options.cachePolicy,
            user: options.user
        )
        let own = interceptors
        // One array: each request has its own, and joining several takes longer than most stages do.
        var stages: [any RequestInterceptor] = own?.call ?? []
        stages.reserveCapacity(13)
        stages.append(duplicates)
        stages.append(renewal)
        if let own { stages += own.attempt }
        stages.append(redirects)
        if let own { stages += own.hop }
        stages.append(SessionCredentials(session: self))
        if let cache {
            stages.append(
                CacheInterceptor(
                    session: self,
                    cache: cache,
                    policy: options.cachePolicy,
                    judge: judge,
                    signer: signer?.identity
                )
            )
        }
        if let own { stages += own.transport }
        if dpopMode != nil { stages.append(DPoPInterceptor(session: self)) }
        if let signer, signer.identity != nil {
            stages.append(
                SigningInterceptor(session: self, signer: signer, isRequired: options.signer != nil)
            )
        }
        // The last one: it shows what is sent.
        if let trace {
            stages.append(TraceInterceptor(mask: SecretMask(tokenField: tokenField), show: trace))
        }
        return stages
    }
}
