// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// Sends a request, follows its redirects and reads its body, within a deadline and a size limit.
package struct RequestRunner: Sendable {
    package let transport: any HTTPTransport
    package let rules: RedirectRules
    package let total: Duration
    package let maximumBodyByteCount: Int
    /// CredKit's own transport, which needs to know how bodies are read.
    private let curl: CurlTransport?

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
        curl = transport as? CurlTransport
        self.rules = rules
        self.total = total
        self.maximumBodyByteCount = maximumBodyByteCount
    }

    /// The deadline of a request that begins now.
    ///
    /// Callers use the largest duration for "never", but clocks cannot wait that long: the timeout is limited
    /// to about a hundred years.
    package var deadline: ContinuousClock.Instant {
        .now.advanced(by: min(max(total, .zero), .seconds(3_000_000_000)))
    }

    /// Runs a request and collects its body.
    package func run(
        _ request: OutgoingRequest,
        decorator: some RequestDecorator = PlainDecorator(),
        deadline: ContinuousClock.Instant? = nil
    ) async throws(ClientError) -> FinalResponse<[UInt8]> {
        let deadline = deadline ?? self.deadline
        let response = try await follow(request, decorator: decorator, deadline: deadline, collectsBody: true)
        let body = try await collect(
            response.body,
            of: response.head,
            method: request.method,
            deadline: deadline
        )
        return FinalResponse(
            head: response.head,
            body: body,
            step: response.step,
            stoppedAt: response.stoppedAt
        )
    }

    /// Runs a request and returns its body as a stream of any size, within the same deadline.
    package func stream(
        _ request: OutgoingRequest,
        decorator: some RequestDecorator = PlainDecorator(),
        deadline: ContinuousClock.Instant? = nil
    ) async throws(ClientError) -> FinalResponse<HTTPResponseBody> {
        let deadline = deadline ?? self.deadline
        var response = try await follow(
            request,
            decorator: decorator,
            deadline: deadline,
            collectsBody: false
        )
        response.body = response.body.ending(at: deadline)
        return response
    }

    private func follow(
        _ request: OutgoingRequest,
        decorator: some RequestDecorator,
        deadline: ContinuousClock.Instant,
        collectsBody: Bool
    ) async throws(ClientError) -> FinalResponse<HTTPResponseBody> {
        var request = request
        var step = try rules.firstStep(to: request.url)
        try rules.check(request)
        while true {
            guard !Task.isCancelled else { throw .cancelled }
            guard ContinuousClock.now < deadline else { throw .timedOut }
            var head = HTTPRequest(
                method: request.method,
                scheme: step.url.origin.scheme,
                authority: step.url.origin.authority,
                path: step.url.target,
                headerFields: request.headers
            )
            try await decorator.decorate(&head, at: step)
            let response = try await send(
                head,
                body: request.body,
                deadline: deadline,
                collectsBody: collectsBody
            )
            try await decorator.receive(response.head, at: step)
            let final = FinalResponse(head: response.head, body: response.body, step: step)
            guard let target = try rules.target(of: response.head, at: step) else { return final }
            if await decorator.stops(at: target, from: step) {
                return FinalResponse(head: response.head, body: response.body, step: step, stoppedAt: target)
            }
            step = try rules.follow(response.head, to: target, from: step, changing: &request)
            try await drain(response.body, of: response.head, deadline: deadline)
        }
    }

    private func send(
        _ head: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant,
        collectsBody: Bool
    ) async throws(ClientError) -> TransportResponse {
        guard let curl else {
            do {
                return try await transport.send(head, body: body, deadline: deadline)
            } catch {
                throw .wrapping(error, as: .transport)
            }
        }
        let options = TransferOptions(collectsBody: collectsBody)
        return try await curl.send(head, body: body, deadline: deadline, options: options)
    }
}
