// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// Sends requests to a server and receives the responses.
///
/// A transport sends one request as given: it follows no redirects, stores no cookies, adds no credentials
/// and repeats nothing. ``LoginSession`` does all of that. `TransportSuite` of CredKitTesting tests whether a transport
/// behaves as required.
public protocol HTTPTransport: Sendable {
    /// Sends a request and waits for the head of the response.
    ///
    /// Cancelling the task cancels the request, also later while the body is read.
    ///
    /// - Parameters:
    ///   - request: The head, with scheme, authority and path set.
    ///   - body: The body; `nil` for none.
    ///   - deadline: When the head of the response must have been received. The reader of the body must
    ///     enforce its own deadline.
    /// - Returns: The head of the response, and its body, which is received incrementally.
    /// - Throws: A ``ClientError`` where possible: ``ClientError/noConnection``, ``ClientError/noResponse``,
    ///   ``ClientError/timedOut``, ``ClientError/untrustedServer``, ``ClientError/invalidRequest``. CredKit reports a
    ///   `CancellationError` as ``ClientError/cancelled``, and any other error as the ``ClientError/underlying`` error
    ///   of ``ClientError/transport``.
    func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant
    ) async throws -> TransportResponse
}
