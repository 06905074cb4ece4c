// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A program's own stages between those of a session.
///
/// Each request passes these stages, in this order; the response passes them in the opposite order:
///
/// 1. ``call``: once for each call.
/// 2. Duplicates: the rest runs once for requests that share a response; see ``DuplicatePolicy``.
/// 3. Renewal: if the response means that the login has expired, it is renewed, and the rest runs once more.
/// 4. ``attempt``: once, and once more after a renewal.
/// 5. Redirects: the rest runs for each request of a redirect chain.
/// 6. ``hop``: each of these requests, without cookies and token.
/// 7. Cookies and token are added, if the server may have them, and those in the response are stored.
/// 8. The cache, if the session has one: a stored response ends the way of the request here.
/// 9. ``transport``: each of these requests as it is sent, with cookies and token, also one that refreshes a stored
///    response in the background.
/// 10. The proof of the key that the token is bound to, if it is bound: see ``DPoPMode``.
/// 11. The signature, if there is a ``RequestSigner``. It is the last stage, so that it covers what the others have
///    made of the request, and so that a stage that sends a request twice sends two signatures.
///
/// ```swift
/// configuration.interceptors.call = [Stopwatch()]
/// ```
///
/// The requests of a login and of a logout do not pass them: what they contain are credentials.
public struct RequestInterceptors: Sendable {
    /// Stages that see each call once: the caller's own request, and the final response. They may change everything. A
    /// request to an origin that receives no credentials loses all headers but `Accept`, `Accept-Language` and `User-Agent`.
    ///
    /// > Warning: These stages and all others see cookies and the token in responses. Do not log them.
    public var call: [any RequestInterceptor] = []

    /// Stages that see each attempt of a call once. They may change everything.
    public var attempt: [any RequestInterceptor] = []

    /// Stages that see each request of a redirect chain before it has cookies and token. They may change everything but
    /// scheme and authority.
    public var hop: [any RequestInterceptor] = []

    /// Stages that see each request as it is sent, but without its proof and its signature. They may change everything but scheme and authority.
    ///
    /// > Warning: What they see contains the session's cookies and token. Do not log it.
    public var transport: [any RequestInterceptor] = []

    /// Creates a set without any.
    public init() {}

    /// Whether there are none.
    var isEmpty: Bool { call.isEmpty && attempt.isEmpty && hop.isEmpty && transport.isEmpty }
}
