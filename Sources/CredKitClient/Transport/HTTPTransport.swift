// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// What carries requests to a server and responses back.
///
/// A transport sends one request as it is given: it follows no redirect, keeps no cookies, adds no
/// credentials and repeats nothing. All of that is done above it, by ``LoginSession``.
public protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the head of the response.
    ///
    /// When the task is cancelled, the request is: also later, while the body is read.
    ///
    /// - Parameters:
    ///   - request: The head, with scheme, authority and path set.
    ///   - body: The body, `nil` for none.
    ///   - deadline: When the head of the response must have come at the latest. Whoever reads the body has to mind
    ///     the time for that.
    /// - Returns: The head of the response, and its body as it comes in.
    /// - Throws: ``LoginError``: `noConnection`, `noResponse`, `timedOut`, `untrustedServer`, `invalidRequest`, `cancelled`.
    func send(
        _ request: HTTPRequest,
        body: RequestBody?,
        deadline: ContinuousClock.Instant
    ) async throws(LoginError) -> TransportResponse
}
