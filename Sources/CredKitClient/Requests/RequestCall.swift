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
    /// How long a body is collected, at most until the deadline.
    private let total: Duration
    let bodies: BodyCollector
    /// Whether the caller wants the whole body.
    let collectsBody: Bool
    private let transport: any HTTPTransport
    /// CredKit's own transport, which needs to know how bodies are read.
    private let curl: CurlTransport?
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
        total = runner.total
        bodies = runner.bodies
        transport = runner.transport
        curl = runner.curl
        state = Lock(Outcome(step: RedirectStep(url: url)))
    }

    /// The deadline of a body whose head has just been received. The deadline of an upload is a distant one.
    var bodyDeadline: ContinuousClock.Instant { min(deadline, .now.advanced(by: total.bounded)) }

    var outcome: Outcome {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Sends a request that has passed all stages.
    func send(
        _ head: HTTPRequest,
        body: HTTPRequestBody?,
        options: TransferOptions
    ) async throws(ClientError) -> TransportResponse {
        guard let curl else {
            do {
                if let rule = options.channelBinding {
                    return try await transport.send(head, body: body, deadline: deadline, binding: rule)
                }
                return try await transport.send(head, body: body, deadline: deadline)
            } catch {
                throw .wrapping(error, as: .transport)
            }
        }
        var options = options
        options.collectsBody = collectsBody
        if let rule = options.channelBinding {
            return try await curl.send(head, body: body, deadline: deadline, options: options, binding: rule)
        }
        return try await curl.send(head, body: body, deadline: deadline, options: options)
    }
}
