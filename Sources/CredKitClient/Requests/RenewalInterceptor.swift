// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import HTTPTypes
internal import Logging

/// Renews an expired login, and sends the request once more.
struct RenewalInterceptor: RequestInterceptor {
    let session: LoginSession
    /// The envelope of the response, whose code may mean that the login has expired.
    let envelope: Envelope

    func intercept(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        next: RequestChain
    ) async throws(ClientError) -> TransportResponse {
        var next = next
        let failures: Int
        (next.generation, failures) = session.state.withLock { ($0.logins.generation, $0.failure.number) }
        let response = try await attempt(request, body, next)
        guard isExpired(response, next) else { return response }
        let renewed = try await session.renew(
            after: next.generation,
            failures: failures,
            deadline: next.deadline
        )
        guard let renewed else { return response }
        guard body?.isRepeatable ?? true else {
            throw .sessionExpired(
                "the login had expired and was renewed, but the request body cannot be sent again: create a new request"
            )
        }
        session.logger.debug(
            "repeating a request after a renewal",
            metadata: ["url": "\(next.step.url)"]
        )
        next.generation = renewed
        next.attempt += 1
        let second = try await attempt(request, body, next)
        guard !isExpired(second, next) else { throw ClientError.sessionExpired }
        return second
    }

    private func attempt(
        _ request: HTTPRequest,
        _ body: HTTPRequestBody?,
        _ next: RequestChain
    ) async throws(ClientError) -> TransportResponse {
        next.call.outcome = RequestCall.Outcome(step: next.step)
        do throws(ClientError) {
            // The envelope's code is in the body.
            let response =
                try await next.call.collectsBody
                ? next.collect(request, body: body) : next(request, body: body)
            session.logger.trace(
                "response",
                metadata: [
                    "method": "\(request.method.rawValue)", "url": "\(next.call.outcome.step.url)",
                    "status": "\(response.head.status.code)",
                ]
            )
            return response
        } catch {
            session.logger.debug(
                "request failed",
                metadata: [
                    "method": "\(request.method.rawValue)", "url": "\(next.step.url)", "error": "\(error)",
                ]
            )
            throw error
        }
    }

    /// Whether a response means that the login has expired. A response to a request without credentials does
    /// not.
    private func isExpired(_ response: TransportResponse, _ chain: RequestChain) -> Bool {
        let (outcome, expiry) = (chain.call.outcome, session.expiry)
        guard !outcome.step.isRedirectTainted else { return false }
        if outcome.stoppedAt != nil { return true }
        if expiry.statuses.contains(response.head.status.code) { return true }
        guard !expiry.codes.isEmpty, let bytes = response.body.bytes, let code = envelope.code(of: bytes)
        else {
            return false
        }
        return expiry.codes.contains(code)
    }
}
