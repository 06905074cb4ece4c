// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

extension LoginSession {
    /// Sends a request to an endpoint of the server, and passes the response to a function while it arrives.
    ///
    /// ```swift
    /// try await session.withResponse(to: .events) { head, body in
    ///     for try await bytes in body { … }
    /// }
    /// ```
    ///
    /// A response that means that the login has expired is not passed on: the login is renewed, and the request is sent once
    /// more. If the profile has codes for that, up to 64 KiB of a JSON response are read first. A response with any
    /// other status is passed on.
    ///
    /// The body may have any size, and has no total timeout: see ``Timeouts/total``. When the function returns, the rest
    /// of the body is discarded, with its connection. The request shares no response with others.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint with its parameters. Its decoding is not used.
    ///   - isolation: The actor to stay isolated to.
    ///   - handler: Gets the head of the response, without cookies and token, and the body, which it can read once.
    /// - Returns: What the function has returned.
    /// - Throws: A ``ClientError`` of the connection, the renewal, or the function. If the function throws another error,
    ///   that is the ``ClientError/underlying`` error of ``ClientError/responseHandler``.
    public func withResponse<Value, Outcome>(
        to endpoint: Endpoint<Value>,
        isolation: isolated (any Actor)? = #isolation,
        _ handler: (_ head: HTTPResponse, _ body: HTTPResponseBody) async throws -> Outcome
    ) async throws(ClientError) -> Outcome {
        let (request, options) = try outgoing(endpoint)
        let response = try await stream(request, options)
        do {
            return try await handler(publicHead(response.head), response.body)
        } catch {
            throw .wrapping(error, as: .responseHandler)
        }
    }

    /// Sends a request to any server, and passes the response to a function while it arrives: see
    /// ``withResponse(to:isolation:_:)`` and ``send(_:body:cachePolicy:progress:)``.
    ///
    /// - Parameters:
    ///   - request: The head, with scheme, authority and path.
    ///   - body: The body; `nil` for none.
    ///   - progress: Gets the progress of a body that is a file or a stream.
    ///   - isolation: The actor to stay isolated to.
    ///   - handler: Gets the head of the response, without cookies and token, and the body, which it can read once.
    /// - Returns: What the function has returned.
    /// - Throws: A ``ClientError``.
    public func withResponse<Outcome>(
        to request: HTTPRequest,
        body: HTTPRequestBody? = nil,
        progress: (@Sendable (ByteProgress) -> Void)? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ handler: (_ head: HTTPResponse, _ body: HTTPResponseBody) async throws -> Outcome
    ) async throws(ClientError) -> Outcome {
        let outgoing = try outgoing(request, body)
        let response = try await stream(outgoing, CallOptions(envelope: envelope), progress)
        do {
            return try await handler(publicHead(response.head), response.body)
        } catch {
            throw .wrapping(error, as: .responseHandler)
        }
    }

    /// Sends a request through all stages, and returns its body as a stream.
    func stream(
        _ request: OutgoingRequest,
        _ options: CallOptions,
        _ progress: (@Sendable (ByteProgress) -> Void)? = nil
    ) async throws(ClientError) -> FinalResponse<HTTPResponseBody> {
        guard !Task.isCancelled else { throw .cancelled }
        let (reporter, stages) = (progress.map { ProgressReporter($0) }, stages(options))
        let deadline = runner.deadline(of: request.body)
        defer { reporter?.finish() }
        var reported = request
        if let reporter { reported.body = request.body?.reporting(to: reporter) }
        let (runner, outgoing) = (runner, reported)
        let response =
            interceptors == nil
            ? try await runner.stream(outgoing, through: stages, deadline: deadline)
            : try await RequestDeadline.run(until: deadline) { () async throws(ClientError) in
                try await runner.stream(outgoing, through: stages, deadline: deadline)
            }
        reporter?.finishAnswered(of: request.body?.byteCount)
        return response
    }

    /// Returns a head without the cookies and the token, which belong to the session.
    func publicHead(_ head: HTTPResponse) -> HTTPResponse {
        var head = head
        head.headerFields[.setCookie] = nil
        if let tokenField { head.headerFields[tokenField] = nil }
        return head
    }
}
