// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// The stages that a request has yet to pass, the last of which is the transport. An interceptor calls it like a
/// function.
public struct RequestChain: Sendable {
    let call: RequestCall
    /// The number of stages that the request has passed.
    private var position = 0

    /// The request that this is: the caller's own one, or one that a redirect leads to.
    package internal(set) var step: RedirectStep

    /// The credentials that the program itself has given: values of `Authorization` and `Cookie`.
    var ownCredentials: [String] = []

    /// The login that the request is sent with.
    var generation = RenewalState.Generation()

    /// Whether only a stored response may answer: otherwise the cache throws ``ClientError/notCached``.
    var usesOnlyStored = false

    /// How the transport handles the request.
    var sending = TransferOptions()

    /// How often the caller's request was sent, including this time: 2 after the login was renewed.
    public internal(set) var attempt = 1

    /// The chain of a call from its first stage on.
    init(_ call: RequestCall) {
        self.call = call
        step = call.outcome.step
    }

    /// The end of the time for the request, which includes all of its redirects, a renewal of the login, and reading the
    /// body of the response.
    public var deadline: ContinuousClock.Instant { call.deadline }

    /// The number of redirects before this request; 0 for the caller's own one.
    public var redirectCount: Int { step.redirectCount }

    /// Whether this request, or an earlier one of its redirects, goes to an origin that receives no credentials. Such an
    /// origin has chosen the URL, or will see the request.
    public var isRedirectTainted: Bool { step.isRedirectTainted }

    /// Passes a request on.
    ///
    /// - Parameters:
    ///   - request: The head, with scheme, authority and path.
    ///   - body: The body; `nil` for none.
    /// - Returns: The response.
    /// - Throws: A ``ClientError``.
    public func callAsFunction(
        _ request: HTTPRequest,
        body: HTTPRequestBody? = nil
    ) async throws(ClientError) -> TransportResponse {
        guard position < call.stages.count else {
            try checkEnd(request)
            var options = sending
            options.collectsBody = call.collectsBody
            do {
                return try await call.transport.send(
                    request,
                    body: body,
                    deadline: call.deadline,
                    options: options
                )
            } catch {
                throw .wrapping(error, as: .transport)
            }
        }
        var next = self
        next.position += 1
        do {
            return try await call.stages[position].intercept(request, body: body, next: next)
        } catch {
            throw .wrapping(error, as: .interceptor)
        }
    }

    /// Checks what interceptors have made of a request after the last stage of CredKit.
    private func checkEnd(_ request: HTTPRequest) throws(ClientError) {
        var end = self
        try end.adoptPath(of: request)
        try RedirectRules.check(request.method, request.headerFields)
    }

    /// Takes over a path that an interceptor has changed after redirects were judged. It must not change the origin: the
    /// credentials were chosen for that one, and whether it may be asked was judged.
    mutating func adoptPath(of request: HTTPRequest) throws(ClientError) {
        let url = try request.url(expecting: step.url)
        guard url.origin == step.url.origin else {
            throw .invalidRequest(
                "invalid request: an interceptor has changed the server, which only one in front of redirects may do"
            )
        }
        step.url = url
    }
}
