// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
public import HTTPTypes
internal import Logging

extension LoginSession {
    /// Sends a request to an endpoint of the server, and returns the decoded value; see ``send(_:in:)``.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint with its parameters.
    ///   - group: A group that can cancel the request; `nil` if only the calling task can.
    /// - Returns: The value.
    /// - Throws: A ``ClientError`` of the connection, the response, or the renewal.
    public func value<Value>(
        of endpoint: Endpoint<Value>,
        in group: CancellationGroup? = nil
    ) async throws(ClientError) -> Value {
        try await send(endpoint, in: group).value
    }

    /// Sends a request to an endpoint of the server.
    ///
    /// If the response means that the login has expired, the login is renewed and the request is sent once
    /// more.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint with its parameters.
    ///   - group: A group that can cancel the request; `nil` if only the calling task can.
    /// - Returns: The response.
    /// - Throws: A ``ClientError`` of the connection, the response, or the renewal.
    public func send<Value>(
        _ endpoint: Endpoint<Value>,
        in group: CancellationGroup? = nil
    ) async throws(ClientError) -> Endpoint<Value>.Response {
        let url = try endpoint.url(
            on: server,
            pathPrefix: pathPrefix,
            version: version
        )
        var request = OutgoingRequest(method: endpoint.method, url: url, headers: endpoint.headers)
        if let payload = endpoint.payload {
            request.body = try payload.body()
            if let type = payload.contentType, request.headers[.contentType] == nil {
                request.headers[.contentType] = type
            }
        }
        let envelope = endpoint.envelope ?? self.envelope
        let response: FinalResponse<[UInt8]>
        if let group {
            let prepared = request
            response = try await group.run(endpoint) { () async throws(ClientError) in
                try await self.exchange(prepared, envelope: envelope)
            }
        } else {
            response = try await exchange(request, envelope: envelope)
        }
        return try endpoint.decode(
            response.head,
            response.body,
            defaultEnvelope: self.envelope,
            tokenField: tokenField
        )
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
    /// - Returns: The head and the body of the response.
    /// - Throws: A ``ClientError`` of the connection or the renewal.
    public func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody? = nil
    ) async throws(ClientError) -> (head: HTTPResponse, body: [UInt8]) {
        guard let scheme = request.scheme, let authority = request.authority, let path = request.path else {
            throw .invalidRequest("invalid request: it must have a scheme, an authority and a path")
        }
        // Otherwise the path could extend the host name or the port.
        guard path.utf8.first == UInt8(ascii: "/"), URLBytes.isAuthority(authority) else {
            throw .invalidRequest(
                "invalid request: the path must begin with a slash, and the authority must be a host and a port"
            )
        }
        let url = try HTTPURL("\(scheme)://\(authority)\(path)")
        let response = try await exchange(
            OutgoingRequest(method: request.method, url: url, headers: request.headerFields, body: body),
            envelope: envelope
        )
        return (response.head, response.body)
    }

    // MARK: One request

    /// Sends a request with the session's own headers.
    private func exchange(
        _ request: OutgoingRequest,
        envelope: Envelope
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
        return try await exchangeRenewing(request, envelope: envelope, deadline: runner.deadline)
    }

    /// The default user agent of the session.
    static let userAgent = HTTPField(name: .userAgent, value: "CredKit")

    /// Sends a request, and once more after a renewal.
    private func exchangeRenewing(
        _ request: OutgoingRequest,
        envelope: Envelope,
        deadline: ContinuousClock.Instant
    ) async throws(ClientError) -> FinalResponse<[UInt8]> {
        let (generation, failures) = state.withLock { ($0.logins.generation, $0.failure.number) }
        let response = try await attempt(request, with: generation, deadline: deadline)
        guard isExpired(response, envelope) else { return response }
        let renewed = try await renew(after: generation, failures: failures, deadline: deadline)
        guard let renewed else { return response }
        guard request.body?.isRepeatable ?? true else {
            throw .sessionExpired(
                "the login had expired and was renewed, but the request body cannot be sent again: create a new request"
            )
        }
        logger.debug(
            "repeating a request after a renewal",
            metadata: ["url": "\(request.url)"]
        )
        let second = try await attempt(request, with: renewed, deadline: deadline)
        guard !isExpired(second, envelope) else { throw ClientError.sessionExpired }
        return second
    }

    private func attempt(
        _ request: OutgoingRequest,
        with generation: RenewalState.Generation,
        deadline: ContinuousClock.Instant
    ) async throws(ClientError) -> FinalResponse<[UInt8]> {
        let decorator = SessionDecorator(
            session: self,
            generation: generation,
            tokenField: tokenField
        )
        do throws(ClientError) {
            let response = try await runner.run(request, decorator: decorator, deadline: deadline)
            logger.trace(
                "response",
                metadata: [
                    "method": "\(request.method.rawValue)", "url": "\(response.step.url)",
                    "status": "\(response.head.status.code)",
                ]
            )
            return response
        } catch {
            logger.debug(
                "request failed",
                metadata: [
                    "method": "\(request.method.rawValue)", "url": "\(request.url)", "error": "\(error)",
                ]
            )
            throw error
        }
    }

    /// Whether a response means that the login has expired. A response to a request without credentials does
    /// not.
    private func isExpired(_ response: FinalResponse<[UInt8]>, _ envelope: Envelope) -> Bool {
        guard !response.step.isRedirectTainted else { return false }
        if response.stoppedAt != nil { return true }
        if expiry.statuses.contains(response.head.status.code) { return true }
        guard !expiry.codes.isEmpty, let code = envelope.code(of: response.body) else { return false }
        return expiry.codes.contains(code)
    }

    /// Whether a redirect to this URL means that the login has expired.
    func isLoginPage(_ url: HTTPURL) -> Bool {
        !expiry.loginPages.isEmpty && credentialOrigins.contains(url.origin)
            && expiry.loginPages.contains(url.path)
    }
}
