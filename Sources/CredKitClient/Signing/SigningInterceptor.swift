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
        // A stage before this one, whose proof must not be sent twice either, then sends all of it again.
        let isSentOnce = next.sending.isSentOnce
        // The server may have received a request before its connection broke. The same nonce would be a replay.
        next.sending.isSentOnce = true
        var retryCount = 0
        while true {
            let signed = try await signer.sign(request, body, at: session.now)
            do throws(ClientError) {
                return try await next(signed.request, body: signed.body)
            } catch {
                guard !isSentOnce, error.underlying is ClosedConnection, retryCount < Self.retryLimit else {
                    throw error
                }
            }
            guard !Task.isCancelled else { throw .cancelled }
            retryCount += 1
            next.sending.needsNewConnection = true
        }
    }
}
