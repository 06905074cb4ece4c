// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// Signs requests that go to a session's origins, each time that they are sent.
struct SigningInterceptor: RequestInterceptor {
    /// How often a request is signed again because the server had closed a kept connection.
    private static let retryLimit = 2

    let session: LoginSession
    let signer: RequestSigner
    /// Whether the endpoint itself names the signer.
    let isRequired: Bool

    func intercept(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        next: RequestChain
    ) async throws(ClientError) -> TransportResponse {
        guard session.signs(next) else {
            guard !isRequired || next.redirectCount > 0 else {
                throw .invalidRequest(
                    "the endpoint's signer signs no request to \(next.step.url.origin): credentialOrigins does not contain it"
                )
            }
            return try await next(request, body: body)
        }
        var next = next
        // The server may have received a request before its connection broke. The same nonce would be a replay.
        next.sending.isSentOnce = true
        for _ in 0..<Self.retryLimit {
            let signed = try await signer.sign(request, body, at: session.now)
            do throws(ClientError) {
                return try await next(signed.request, body: signed.body)
            } catch {
                guard error.underlying is ClosedConnection else { throw error }
            }
            guard !Task.isCancelled else { throw .cancelled }
            next.sending.needsNewConnection = true
        }
        let signed = try await signer.sign(request, body, at: session.now)
        return try await next(signed.request, body: signed.body)
    }
}

/// The server had closed a connection that was kept open, maybe after it received the request, which may be repeated.
struct ClosedConnection: Error {}

extension LoginSession {
    /// Whether requests to a URL have the session's credentials, and are signed.
    package func sendsCredentials(to url: HTTPURL) -> Bool { credentialOrigins.contains(url.origin) }

    /// Whether a request may be signed: it goes to an origin that receives credentials, and no other has chosen its URL.
    func signs(_ chain: RequestChain) -> Bool {
        credentialOrigins.contains(chain.step.url.origin) && !chain.isRedirectTainted
    }
}
