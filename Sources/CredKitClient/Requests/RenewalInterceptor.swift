// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import HTTPTypes
internal import Logging

/// Renews an expired login, and sends the request once more.
struct RenewalInterceptor: RequestInterceptor {
    let session: LoginSession
    let judge: ExpiryJudge
    let cachePolicy: CachePolicy
    /// The user who may send the request; `nil` for the current one.
    var user: Int?

    func intercept(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        next: RequestChain
    ) async throws(ClientError) -> TransportResponse {
        var next = next
        let failures: Int
        (next.generation, failures) = session.state.withLock { ($0.logins.generation, $0.failure.number) }
        guard user ?? next.generation.user == next.generation.user else { throw LoginSession.otherUser }
        if session.lacksToken, session.credentialOrigins.contains(next.step.url.origin),
            cachePolicy != .onlyIfCached,
            let generation = try await session.renew(
                after: next.generation,
                failures: failures,
                deadline: next.deadline
            )
        {
            next.generation = generation
        }
        let response = try await attempt(request, body, next)
        // A call that must not ask the server must not log in either.
        guard cachePolicy != .onlyIfCached, isExpired(response, next) else { return response }
        guard let renewed = try await renew(after: next.generation, failures, response, to: request, next)
        else {
            next.call.outcome.isExpired = true
            return response
        }
        guard body?.isRepeatable ?? true else {
            let error = ClientError.sessionExpired(
                "the login had expired and was renewed, but the request body cannot be sent again: create a new request"
            )
            throw error.answered(by: await kept(response, to: request, next))
        }
        session.logger.debug(
            "repeating a request after a renewal",
            metadata: ["url": "\(next.step.url)"]
        )
        next.generation = renewed
        next.attempt += 1
        var second = try await attempt(request, body, next)
        // What another program has saved can have expired since.
        if isExpired(second, next), session.state.withLock({ $0.adopted == renewed }),
            let again = try await renew(after: renewed, failures, second, to: request, next)
        {
            next.generation = again
            next.attempt += 1
            second = try await attempt(request, body, next)
        }
        guard !isExpired(second, next) else {
            // A login that sends its secret with each request has sent the same one again.
            let isSame = session.tokenSource == .login && !session.mechanism.replacesSecret
            let refused = "the server refuses the token or password of the session: log in with a valid one"
            let error: ClientError = isSame ? .sessionExpired(refused) : .sessionExpired
            throw error.answered(by: await kept(second, to: request, next))
        }
        return second
    }

    /// Renews the login after a response that means that it has expired, and that the error of a failed renewal has with it.
    private func renew(
        after sent: RenewalState.Generation,
        _ failures: Int,
        _ response: TransportResponse,
        to request: HTTPRequest,
        _ next: RequestChain
    ) async throws(ClientError) -> RenewalState.Generation? {
        do throws(ClientError) {
            return try await session.renew(after: sent, failures: failures, deadline: next.deadline)
        } catch {
            throw error.answered(by: await kept(response, to: request, next))
        }
    }

    /// Returns a response for a caller that wants to see it although the request has failed. The rest of a body that is read
    /// piece by piece has little time.
    private func kept(
        _ response: TransportResponse,
        to request: HTTPRequest,
        _ next: RequestChain
    ) async -> ExpiredResponse {
        let head = session.publicHead(response.head)
        if let bytes = response.body.bytes { return ExpiredResponse(head: head, body: bytes) }
        let deadline = min(next.deadline, ContinuousClock.now.advanced(by: .seconds(5)))
        let body = try? await RequestDeadline.run(until: deadline) { () async throws(ClientError) in
            try await next.call.collect(response, to: request.method)
        }
        return ExpiredResponse(head: head, body: body)
    }

    private func attempt(
        _ request: HTTPRequest,
        _ body: HTTPRequestBody?,
        _ next: RequestChain
    ) async throws(ClientError) -> TransportResponse {
        next.call.outcome = RequestOutcome(step: next.step)
        do throws(ClientError) {
            // The envelope's code is in the body.
            var response = try await next(request, body: body)
            if next.call.collectsBody {
                response.body = HTTPResponseBody(try await next.call.collect(response, to: request.method))
            } else if !session.expiry.codes.isEmpty {
                response.body = try await judge.envelope.read(response, deadline: next.call.bodyDeadline)
            }
            session.logger.trace(
                "response",
                metadata: [
                    "method": "\(request.method.rawValue)", "url": "\(next.call.outcome.step.url)",
                    "status": "\(response.head.status.code)",
                ]
            )
            return response
        } catch {
            guard !next.usesOnlyStored else { throw error }
            session.logger.debug(
                "request failed",
                metadata: [
                    "method": "\(request.method.rawValue)", "url": "\(next.step.url)", "error": "\(error)",
                ]
            )
            throw error
        }
    }

    /// Whether a response means that the login has expired. None does that comes after a step at an origin outside the
    /// credential origins, be it the first: `isRedirectTainted` is set by `RedirectRules.firstStep` and `follow`, and stays set
    /// when redirects lead back.
    ///
    /// `stoppedAt` is set at the redirects that the closure in `stages` of LoginSession+Stages stops.
    private func isExpired(_ response: TransportResponse, _ chain: RequestChain) -> Bool {
        let outcome = chain.call.outcome
        guard !outcome.step.isRedirectTainted else { return false }
        return outcome.stoppedAt != nil
            || judge.isExpired(status: response.head.status.code, body: response.body.bytes)
    }
}

/// Tells whether a response means that the login has expired.
struct ExpiryJudge: Sendable {
    let rule: LoginProfile.ExpiryRule
    /// The origins whose login pages count.
    let origins: Set<Origin>
    /// The envelope of the response, whose code may say it.
    var envelope: Envelope

    /// The same for another envelope.
    func reading(_ envelope: Envelope) -> ExpiryJudge {
        var judge = self
        judge.envelope = envelope
        return judge
    }

    /// Whether a redirect to this URL means it.
    func isLoginPage(_ url: HTTPURL) -> Bool {
        !rule.loginPages.isEmpty && origins.contains(url.origin) && rule.loginPages.contains(url.path)
    }

    /// Whether a status or a body means it.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - body: The whole body; `nil` if it is not known.
    /// - Returns: Whether the login has expired.
    func isExpired(status: Int, body: [UInt8]?) -> Bool {
        if rule.statuses.contains(status) { return true }
        guard !rule.codes.isEmpty, let body, let code = envelope.code(of: body) else { return false }
        return rule.codes.contains(code)
    }
}
