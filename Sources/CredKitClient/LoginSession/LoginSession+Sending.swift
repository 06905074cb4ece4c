// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
public import HTTPTypes
internal import Logging

extension LoginSession {
    /// Sends a request to an interface of the server.
    ///
    /// If the response says that the login has expired, it is renewed, and the request is sent once more.
    ///
    /// - Parameter endpoint: The interface, with its parameters.
    /// - Returns: What it answered.
    /// - Throws: ``LoginError``: of the connection, of what came back, or of the renewal.
    public func send<Body>(_ endpoint: Endpoint<Body>) async throws(LoginError) -> Endpoint<Body>.Response {
        let url = try endpoint.url(
            on: server,
            audience: configuration.audience,
            version: configuration.version
        )
        var request = OutgoingRequest(method: endpoint.method, url: url, headers: endpoint.headers)
        if let content = endpoint.content {
            request.body = try content.body()
            if let type = content.type, request.headers[.contentType] == nil {
                request.headers[.contentType] = type
            }
        }
        let response = try await exchange(
            request,
            interface: Self.interface(endpoint),
            envelope: endpoint.envelope ?? configuration.envelope
        )
        return try endpoint.decode(
            response.head,
            response.body,
            defaultEnvelope: configuration.envelope,
            tokenField: profile.tokenHeader.flatMap { HTTPField.Name($0) }
        )
    }

    /// Sends a request as it is, to any server. Outside of ``Configuration/credentialOrigins`` it has neither the session's
    /// cookies nor its token, nor its headers.
    ///
    /// Redirects are followed, and an expired login is renewed, as with endpoints. A response of any status is returned.
    ///
    /// - Parameters:
    ///   - request: The head, with scheme, authority and path.
    ///   - body: The body, `nil` for none.
    /// - Returns: The head and the body of the response.
    /// - Throws: ``LoginError``: of the connection, or of the renewal.
    public func send(
        _ request: HTTPRequest,
        body: RequestBody? = nil
    ) async throws(LoginError) -> (head: HTTPResponse, body: [UInt8]) {
        guard let scheme = request.scheme, let authority = request.authority, let path = request.path else {
            throw .invalidRequest("a request needs a scheme, an authority and a path")
        }
        // Else it would go on with the host's name, or with its port.
        guard path.utf8.first == UInt8(ascii: "/"), URLBytes.isAuthority(authority) else {
            throw .invalidRequest(
                "a request's path begins with a slash, and its authority is a host and a port"
            )
        }
        let url = try HTTPURL("\(scheme)://\(authority)\(path)")
        let response = try await exchange(
            OutgoingRequest(method: request.method, url: url, headers: request.headerFields, body: body),
            interface: "\(request.method.rawValue) \(url.path)",
            envelope: configuration.envelope
        )
        return (response.head, response.body)
    }

    /// Cancels all requests that are under way. Logins and renewals go on.
    public func cancelAll() {
        cancelRequests { _ in true }
    }

    /// Cancels all requests that are under way to one interface, whatever their parameters.
    ///
    /// - Parameter endpoint: The interface: what counts are its method and its path.
    public func cancelAll<Body>(to endpoint: Endpoint<Body>) {
        let interface = Self.interface(endpoint)
        cancelRequests { $0.interface == interface }
    }

    private func cancelRequests(_ isMeant: (SessionState.Request) -> Bool) {
        let cancels = state.withLock { state -> [@Sendable () -> Void] in
            var cancels: [@Sendable () -> Void] = []
            for (number, request) in state.requests where isMeant(request) {
                state.requests[number]?.isCancelled = true
                if let cancel = request.cancel { cancels.append(cancel) }
            }
            return cancels
        }
        for cancel in cancels { cancel() }
    }

    private static func interface<Body>(_ endpoint: Endpoint<Body>) -> String {
        "\(endpoint.method.rawValue) \(endpoint.path)"
    }

    // MARK: One request

    /// Runs a request as a task of its own, which can be cancelled by others than the caller.
    private func exchange(
        _ request: OutgoingRequest,
        interface: String,
        envelope: Envelope
    ) async throws(LoginError) -> FinalResponse<[UInt8]> {
        guard !Task.isCancelled else { throw .cancelled }
        var request = request
        if credentialOrigins.contains(request.url.origin) {
            let own = request.headers
            for field in configuration.headers where own[field.name] == nil { request.headers.append(field) }
        }
        if request.headers[.userAgent] == nil { request.headers[.userAgent] = "CredKit" }
        let prepared = request
        // Before it begins, so that nobody who cancels all requests can miss it.
        let number = state.withLock { state in
            state.nextRequest &+= 1
            state.requests[state.nextRequest] = .init(interface: interface)
            return state.nextRequest
        }
        let task = Task.immediate { () async -> Result<FinalResponse<[UInt8]>, LoginError> in
            do throws(LoginError) {
                return .success(try await self.exchangeRenewing(prepared, envelope: envelope))
            } catch {
                return .failure(error)
            }
        }
        let isCancelled = state.withLock { state in
            state.requests[number]?.cancel = { task.cancel() }
            return state.requests[number]?.isCancelled ?? false
        }
        if isCancelled { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        state.withLock { _ = $0.requests.removeValue(forKey: number) }
        return try result.get()
    }

    /// Runs a request, and once more after a renewal.
    private func exchangeRenewing(
        _ request: OutgoingRequest,
        envelope: Envelope
    ) async throws(LoginError) -> FinalResponse<[UInt8]> {
        let deadline = runner.deadline
        let (generation, failures) = state.withLock { ($0.logins.generation, $0.failure.number) }
        let response = try await attempt(request, with: generation, deadline: deadline)
        guard isExpired(response, envelope) else { return response }
        let renewed = try await renew(after: generation, failures: failures, deadline: deadline)
        guard let renewed else { return response }
        guard request.body?.isRepeatable ?? true else {
            throw .sessionExpired(
                "the login had expired and is renewed now, but the request's body cannot be sent again: make the request again"
            )
        }
        configuration.logger.debug(
            "repeating a request after a renewal",
            metadata: ["url": "\(request.url)"]
        )
        let second = try await attempt(request, with: renewed, deadline: deadline)
        guard !isExpired(second, envelope) else { throw LoginError.sessionExpired }
        return second
    }

    private func attempt(
        _ request: OutgoingRequest,
        with generation: RenewalState.Generation,
        deadline: ContinuousClock.Instant
    ) async throws(LoginError) -> FinalResponse<[UInt8]> {
        let decorator = SessionDecorator(
            session: self,
            generation: generation,
            tokenField: profile.tokenHeader.flatMap { HTTPField.Name($0) }
        )
        do throws(LoginError) {
            let response = try await runner.run(request, decorator: decorator, deadline: deadline)
            configuration.logger.trace(
                "response",
                metadata: [
                    "method": "\(request.method.rawValue)", "url": "\(response.hop.url)",
                    "status": "\(response.head.status.code)",
                ]
            )
            return response
        } catch {
            configuration.logger.debug(
                "request failed",
                metadata: [
                    "method": "\(request.method.rawValue)", "url": "\(request.url)", "error": "\(error)",
                ]
            )
            throw error
        }
    }

    /// Whether a response says that the login has expired. Only where credentials were sent does it mean ours.
    private func isExpired(_ response: FinalResponse<[UInt8]>, _ envelope: Envelope) -> Bool {
        guard !response.hop.hasLeftAllowedOrigins else { return false }
        if response.stoppedAt != nil { return true }
        if profile.expiry.statuses.contains(response.head.status.code) { return true }
        guard !profile.expiry.codes.isEmpty, let code = envelope.code(of: response.body) else { return false }
        return profile.expiry.codes.contains(code)
    }

    /// Whether a redirect there means that the login has expired.
    func isLoginPage(_ url: HTTPURL) -> Bool {
        !profile.expiry.loginPages.isEmpty && credentialOrigins.contains(url.origin)
            && profile.expiry.loginPages.contains(url.path)
    }
}
