// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
package import HTTPTypes

/// One request from the caller's view: what all of its stages share.
final class RequestCall: Sendable {
    /// The stages, from the outside in.
    let stages: [any RequestInterceptor]
    let transport: any HTTPTransport
    let deadline: ContinuousClock.Instant
    /// Whether the caller wants the whole body.
    let collectsBody: Bool
    private let runner: RequestRunner
    private let state: Lock<RequestOutcome>

    init(
        to url: HTTPURL,
        through stages: [any RequestInterceptor],
        by runner: RequestRunner,
        deadline: ContinuousClock.Instant,
        collectsBody: Bool
    ) {
        self.stages = stages
        transport = runner.transport
        self.deadline = deadline
        self.collectsBody = collectsBody
        self.runner = runner
        state = Lock(RequestOutcome(step: RedirectStep(url: url)))
    }

    /// The deadline of a body whose head has just been received. The deadline of an upload is a distant one.
    var bodyDeadline: ContinuousClock.Instant { min(deadline, runner.deadline) }

    var outcome: RequestOutcome {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Waits for the whole body of a response that has just been received.
    func collect(
        _ response: TransportResponse,
        to method: HTTPRequest.Method
    ) async throws(ClientError) -> [UInt8] {
        try await runner.bodies.collect(
            response.body,
            of: response.head,
            method: method,
            deadline: bodyDeadline
        )
    }
}

/// What became of a request so far.
package struct RequestOutcome: Sendable {
    /// The last request that was sent.
    package var step: RedirectStep
    /// The target of the redirect that was not followed, because the response is the answer.
    package var stoppedAt: HTTPURL?
    /// How the cache took part.
    var cacheUse = CacheUse.network
    /// Whether the response means that the login has expired, but no user is logged in.
    var isExpired = false
}

/// The final response to a request, after all redirects.
package struct FinalResponse<Body: Sendable>: Sendable {
    package var head: HTTPResponse
    package var body: Body
    /// What became of the request: the response answers its last step.
    package var outcome: RequestOutcome
    /// What decoding the body may cost.
    var budget = DecodingBudget()
}
