// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
public import HTTPTypes
internal import Logging

extension LoginSession {
    /// Sends a request to an endpoint of the server, and returns the decoded value; see
    /// ``send(_:in:cachePolicy:progress:)``.
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
    ///   - progress: Gets the progress of a body that is a file or a stream: the first and the last state of each attempt,
    ///     and between them at most ten a second.
    /// - Returns: The response.
    /// - Throws: A ``ClientError`` of the connection, the response, or the renewal; ``ClientError/notCached`` with
    ///   ``CachePolicy/onlyIfCached`` if there is no stored response.
    public func send<Value>(
        _ endpoint: Endpoint<Value>,
        in group: CancellationGroup? = nil,
        cachePolicy: CachePolicy = .default,
        progress: (@Sendable (ByteProgress) -> Void)? = nil
    ) async throws(ClientError) -> Endpoint<Value>.Response {
        var (request, options) = try outgoing(endpoint)
        options.cachePolicy = cachePolicy
        let response: FinalResponse<[UInt8]>
        if let group {
            response = try await group.run(endpoint) { [request, options] () async throws(ClientError) in
                try await self.exchange(request, options, progress)
            }
        } else {
            response = try await exchange(request, options, progress)
        }
        return try decode(response, of: endpoint)
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
    ///   - progress: Gets the progress of a body that is a file or a stream, as with endpoints.
    /// - Returns: The head and the body of the response, and how the cache took part.
    /// - Throws: A ``ClientError`` of the connection or the renewal; ``ClientError/notCached`` with
    ///   ``CachePolicy/onlyIfCached`` if there is no stored response.
    public func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody? = nil,
        cachePolicy: CachePolicy = .default,
        progress: (@Sendable (ByteProgress) -> Void)? = nil
    ) async throws(ClientError) -> (head: HTTPResponse, body: [UInt8], cacheUse: CacheUse) {
        let response = try await exchange(
            try outgoing(request, body),
            CallOptions(envelope: envelope, cachePolicy: cachePolicy),
            progress
        )
        return (response.head, response.body, response.outcome.cacheUse)
    }

    /// Sends a request to an endpoint at another URL than its own, as a certain user, and returns the URL that the
    /// response came from as well.
    func send<Value>(
        _ endpoint: Endpoint<Value>,
        to url: HTTPURL,
        as user: Int?,
        cachePolicy: CachePolicy
    ) async throws(ClientError) -> (response: Endpoint<Value>.Response, url: HTTPURL) {
        var (request, options) = try outgoing(endpoint, to: url)
        (options.cachePolicy, options.user) = (cachePolicy, user)
        let response = try await exchange(request, options)
        return (try decode(response, of: endpoint), response.outcome.step.url)
    }

    private func decode<Value>(
        _ response: FinalResponse<[UInt8]>,
        of endpoint: Endpoint<Value>
    ) throws(ClientError) -> Endpoint<Value>.Response {
        do throws(ClientError) {
            return try endpoint.decode(
                response.head,
                response.body,
                defaultEnvelope: envelope,
                tokenField: tokenField,
                cacheUse: response.outcome.cacheUse,
                budget: response.budget
            )
        } catch {
            throw withoutCredentials(error)
        }
    }

    /// Sends a request through all stages and collects its body.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - options: What the endpoint says about the call.
    ///   - progress: Gets the progress of a body that is a stream.
    ///   - deadline: The end of the time; that of a request that begins now if `nil`.
    /// - Returns: The response.
    /// - Throws: A ``ClientError``.
    func exchange(
        _ request: OutgoingRequest,
        _ options: CallOptions,
        _ progress: (@Sendable (ByteProgress) -> Void)? = nil,
        deadline: ContinuousClock.Instant? = nil
    ) async throws(ClientError) -> FinalResponse<[UInt8]> {
        guard !Task.isCancelled else { throw .cancelled }
        guard cache != nil || options.cachePolicy != .onlyIfCached else { throw .notCached }
        let (runner, stages) = (runner, stages(options))
        let deadline = deadline ?? runner.deadline(of: request.body)
        var reported = request
        var reporter: ProgressReporter?
        if let progress, case .stream? = request.body?.content {
            let new = ProgressReporter(progress)
            reported.body = request.body?.reporting(to: new)
            reporter = new
        }
        defer { reporter?.finish() }
        let outgoing = reported
        let response =
            interceptors == nil
            ? try await runner.run(outgoing, through: stages, deadline: deadline)
            // An interceptor that ignores the deadline is cancelled there.
            : try await RequestDeadline.run(until: deadline) { () async throws(ClientError) in
                try await runner.run(outgoing, through: stages, deadline: deadline)
            }
        reporter?.finishAnswered(of: request.body?.byteCount)
        return response
    }
}
