// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import HTTPTypes

/// One request from the caller's view: what all of its stages share.
final class RequestCall: Sendable {
    /// What became of the request so far.
    struct Outcome: Sendable {
        /// The last request that was sent.
        var step: RedirectStep
        /// The target of the redirect that was not followed, because the response is the answer.
        var stoppedAt: HTTPURL?
        /// How the cache took part.
        var cacheUse = CacheUse.network
        /// Whether the response means that the login has expired, but no user is logged in.
        var isExpired = false
    }

    /// The stages, from the outside in.
    let stages: [any RequestInterceptor]
    let deadline: ContinuousClock.Instant
    /// Whether the caller wants the whole body.
    let collectsBody: Bool
    private let runner: RequestRunner
    private let state: Lock<Outcome>

    init(
        to url: HTTPURL,
        through stages: [any RequestInterceptor],
        by runner: RequestRunner,
        deadline: ContinuousClock.Instant,
        collectsBody: Bool
    ) {
        self.stages = stages
        self.deadline = deadline
        self.collectsBody = collectsBody
        self.runner = runner
        state = Lock(Outcome(step: RedirectStep(url: url)))
    }

    var bodies: BodyCollector { runner.bodies }

    /// The deadline of a body whose head has just been received. The deadline of an upload is a distant one.
    var bodyDeadline: ContinuousClock.Instant { min(deadline, runner.deadline) }

    var outcome: Outcome {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Runs a request through all stages.
    func run(_ request: OutgoingRequest) async throws(ClientError) -> FinalResponse<HTTPResponseBody> {
        let chain = RequestChain(self, from: RedirectStep(url: request.url))
        let response = try await chain(request.head, body: request.body)
        let outcome = outcome
        return FinalResponse(
            head: response.head,
            body: response.body,
            step: outcome.step,
            stoppedAt: outcome.stoppedAt,
            cacheUse: outcome.cacheUse,
            isExpired: outcome.isExpired
        )
    }

    /// Sends a request that has passed all stages.
    func send(
        _ head: HTTPRequest,
        body: HTTPRequestBody?,
        options: TransferOptions
    ) async throws(ClientError) -> TransportResponse {
        var options = options
        options.collectsBody = collectsBody
        do {
            return try await runner.transport.send(head, body: body, deadline: deadline, options: options)
        } catch {
            throw .wrapping(error, as: .transport)
        }
    }
}
