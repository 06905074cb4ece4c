// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// Sends a request through its stages and reads its body, within a deadline and a size limit.
package struct RequestRunner: Sendable {
    package let transport: any HTTPTransport
    package let rules: RedirectRules
    package let total: Duration
    private(set) var bodies: BodyCollector

    /// - Parameters:
    ///   - transport: The transport that sends each request.
    ///   - rules: Where requests and redirects may go.
    ///   - total: The timeout for the whole request.
    ///   - maximumBodyByteCount: The maximum size of a collected body in bytes; 16 MiB by default.
    package init(
        transport: any HTTPTransport,
        rules: RedirectRules,
        total: Duration = Timeouts().total,
        maximumBodyByteCount: Int = 16 << 20
    ) {
        self.transport = transport
        self.rules = rules
        self.total = total
        bodies = BodyCollector(maximumByteCount: maximumBodyByteCount)
    }

    /// The same runner for requests with small answers, such as those of a login.
    func limitingBodies(to byteCount: Int) -> Self {
        var copy = self
        copy.bodies = BodyCollector(maximumByteCount: min(byteCount, bodies.maximumByteCount))
        return copy
    }

    /// The deadline of a request that begins now.
    ///
    /// Callers use the largest duration for "never", but clocks cannot wait that long: the timeout is limited
    /// to about a hundred years.
    package var deadline: ContinuousClock.Instant {
        .now.advanced(by: total.bounded)
    }

    /// The deadline of a request that begins now, for its head.
    ///
    /// A large body takes its time. The connection must not be silent meanwhile; besides, each second must take at least
    /// a kibibyte, so that there is a deadline.
    ///
    /// - Parameter body: The body of the request.
    /// - Returns: The deadline.
    func deadline(of body: HTTPRequestBody?) -> ContinuousClock.Instant {
        guard case .stream(_, let byteCount?)? = body?.content else { return deadline }
        let transfer = Duration.seconds(max(0, byteCount) >> 10)
        return .now.advanced(by: min(total.bounded + transfer, .seconds(3_000_000_000)))
    }

    /// Runs a request, follows its redirects and collects its body.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - hops: The stages that each request of a redirect chain passes.
    ///   - stops: Whether a redirect to this URL is the answer, instead of being followed.
    ///   - deadline: The end of the time; that of a request that begins now if `nil`.
    /// - Returns: The response.
    /// - Throws: A ``ClientError``.
    package func run(
        _ request: OutgoingRequest,
        hops: [any RequestInterceptor] = [],
        stops: @escaping @Sendable (HTTPURL) -> Bool = { _ in false },
        deadline: ContinuousClock.Instant? = nil
    ) async throws(ClientError) -> FinalResponse<[UInt8]> {
        let stages = [RedirectInterceptor(rules: rules, stops: stops)] + hops
        return try await run(request, through: stages, deadline: deadline ?? self.deadline)
    }

    /// Runs a request through all of its stages and collects its body.
    func run(
        _ request: OutgoingRequest,
        through stages: [any RequestInterceptor],
        deadline: ContinuousClock.Instant
    ) async throws(ClientError) -> FinalResponse<[UInt8]> {
        let call = RequestCall(
            to: request.url,
            through: stages,
            by: self,
            deadline: deadline,
            collectsBody: true
        )
        let response = try await RequestChain(call)(request.head, body: request.body)
        let budget = DecodingBudget.responses(upTo: bodies.maximumByteCount, deadline: call.bodyDeadline)
        let body = try await call.collect(response, to: request.method)
        return FinalResponse(head: response.head, body: body, outcome: call.outcome, budget: budget)
    }

    /// Runs a request, follows its redirects and returns its body as a stream of any size, within the same deadline.
    package func stream(
        _ request: OutgoingRequest,
        deadline: ContinuousClock.Instant? = nil
    ) async throws(ClientError) -> FinalResponse<HTTPResponseBody> {
        let deadline = deadline ?? self.deadline
        var response = try await stream(
            request,
            through: [RedirectInterceptor(rules: rules)],
            deadline: deadline
        )
        response.body = response.body.ending(at: deadline)
        return response
    }

    /// Runs a request through all of its stages and returns its body as a stream of any size, without a deadline.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - stages: The stages.
    ///   - deadline: When the head must have been received, and what the stages read of the body.
    /// - Returns: The response.
    /// - Throws: A ``ClientError``.
    func stream(
        _ request: OutgoingRequest,
        through stages: [any RequestInterceptor],
        deadline: ContinuousClock.Instant
    ) async throws(ClientError) -> FinalResponse<HTTPResponseBody> {
        let call = RequestCall(
            to: request.url,
            through: stages,
            by: self,
            deadline: deadline,
            collectsBody: false
        )
        let response = try await RequestChain(call)(request.head, body: request.body)
        return FinalResponse(head: response.head, body: response.body, outcome: call.outcome)
    }
}

/// One request from the caller's view, regardless of redirects.
package struct OutgoingRequest: Sendable {
    package var method: HTTPRequest.Method
    package var url: HTTPURL
    /// The caller's own headers, without credentials, which a later stage adds to the request of each redirect step.
    package var headers: HTTPFields
    package var body: HTTPRequestBody?

    package init(
        method: HTTPRequest.Method = .get,
        url: HTTPURL,
        headers: HTTPFields = [:],
        body: HTTPRequestBody? = nil
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// The head of the request.
    var head: HTTPRequest {
        HTTPRequest(
            method: method,
            scheme: url.origin.scheme,
            authority: url.origin.authority,
            path: url.target,
            headerFields: headers
        )
    }
}
