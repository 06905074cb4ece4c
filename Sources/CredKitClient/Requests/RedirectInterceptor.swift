// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// Follows redirects as far as the rules allow. The stages after it see each request.
struct RedirectInterceptor: RequestInterceptor {
    let rules: RedirectRules
    /// Whether to return the response instead of following its redirect, for example a redirect to the login page.
    var stops: @Sendable (_ target: HTTPURL) -> Bool = { _ in false }

    func intercept(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        next: RequestChain
    ) async throws(ClientError) -> TransportResponse {
        var next = next
        var outgoing = OutgoingRequest(
            method: request.method,
            url: try request.url(expecting: next.step.url),
            headers: request.headerFields,
            body: body
        )
        let asked = next.step.url.origin
        next.step = try rules.firstStep(to: outgoing.url)
        // An interceptor has chosen another server, which must not get what was meant for the session's.
        if outgoing.url.origin != asked && next.step.isRedirectTainted {
            rules.removeOwnHeaders(of: &outgoing)
        }
        while true {
            guard !Task.isCancelled else { throw .cancelled }
            guard ContinuousClock.now < next.deadline else { throw .timedOut }
            next.call.outcome = RequestOutcome(step: next.step)
            let response = try await next(outgoing.head, body: outgoing.body)
            guard let target = try rules.target(of: response.head, at: next.step) else { return response }
            if stops(target) {
                next.call.outcome.stoppedAt = target
                return response
            }
            next.step = try rules.follow(response.head, to: target, from: next.step, changing: &outgoing)
            try await BodyCollector.drain(response.body, of: response.head, deadline: next.deadline)
        }
    }
}

extension HTTPRequest {
    /// The URL of the request.
    ///
    /// - Parameter expected: The URL that it has unless a stage has changed it, which saves parsing.
    /// - Returns: The URL.
    /// - Throws: ``ClientError/invalidRequest``, ``ClientError/invalidURL``.
    func url(expecting expected: HTTPURL? = nil) throws(ClientError) -> HTTPURL {
        guard let scheme, let authority, let path else {
            throw .invalidRequest("invalid request: it must have a scheme, an authority and a path")
        }
        if let expected, ASCIIText.areEqual(path, expected.target),
            ASCIIText.areEqual(authority, expected.origin.authority),
            ASCIIText.areEqual(scheme, expected.origin.scheme)
        {
            return expected
        }
        // Otherwise the path could extend the host name or the port.
        guard path.utf8.first == UInt8(ascii: "/"), URLBytes.isAuthority(authority) else {
            throw .invalidRequest(
                "invalid request: the path must begin with a slash, and the authority must be a host and a port"
            )
        }
        return try HTTPURL("\(scheme)://\(authority)\(path)")
    }
}

/// One request of a redirect chain: the original request, or one that a redirect leads to.
package struct RedirectStep: Sendable {
    /// The URL of the request.
    package var url: HTTPURL
    /// The number of redirects before this request; 0 for the original one.
    package var redirectCount: Int
    /// Whether this request, or an earlier one of the chain, goes to an origin outside the allowed ones, also without any
    /// redirect. The Fetch standard speaks of a redirect taint.
    package var isRedirectTainted: Bool

    package init(url: HTTPURL, redirectCount: Int = 0, isRedirectTainted: Bool = false) {
        self.url = url
        self.redirectCount = redirectCount
        self.isRedirectTainted = isRedirectTainted
    }
}
