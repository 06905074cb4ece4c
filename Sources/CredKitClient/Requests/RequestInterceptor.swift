// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A stage that each request of a session passes: it can change the request, look at the response, send the request
/// several times, or answer it without sending it.
///
/// The stages of a session are interceptors themselves; ``LoginSession/Configuration/interceptors`` adds others, at the
/// places that ``RequestInterceptors`` names.
///
/// ```swift
/// struct Stopwatch: RequestInterceptor {
///     func intercept(
///         _ request: HTTPRequest,
///         body: HTTPRequestBody?,
///         next: RequestChain
///     ) async throws -> TransportResponse {
///         let start = ContinuousClock.now
///         let response = try await next(request, body: body)
///         print(response.head.status, ContinuousClock.now - start)
///         return response
///     }
/// }
/// ```
public protocol RequestInterceptor: Sendable {
    /// Handles a request.
    ///
    /// The time limit of the request includes the time that this takes. When it is exceeded, the task is cancelled.
    ///
    /// - Parameters:
    ///   - request: The head, with scheme, authority and path.
    ///   - body: The body; `nil` for none. A body that is not ``HTTPRequestBody/isRepeatable`` can be passed on once.
    ///   - next: The rest of the chain. Calling it sends the request.
    /// - Returns: The response: that of `next`, or one that this interceptor makes.
    /// - Throws: Any error. One that is not a ``ClientError`` is reported as the ``ClientError/underlying`` error of
    ///   ``ClientError/interceptor``.
    func intercept(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        next: RequestChain
    ) async throws -> TransportResponse
}
