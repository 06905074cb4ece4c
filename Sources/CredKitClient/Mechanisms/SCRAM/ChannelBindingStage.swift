// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem
internal import HTTPTypes

/// Requires a channel binding of the connection that carries a request, and notes it.
final class ChannelBindingStage: RequestInterceptor {
    private let rule: ChannelBindingRule
    private let noted = Lock<SCRAM.ChannelBinding?>(nil)

    init(_ rule: ChannelBindingRule) { self.rule = rule }

    /// The binding of the connection, once there is a response.
    var binding: SCRAM.ChannelBinding? { noted.withLock { $0 } }

    func intercept(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        next: RequestChain
    ) async throws(ClientError) -> TransportResponse {
        var next = next
        next.sending.channelBinding = rule
        let response = try await next(request, body: body)
        // A transport that leaves it out would make the login fail later, for a reason that is harder to see.
        guard let binding = response.channelBinding, binding.kind == rule.kind else {
            throw .channelBindingFailed("the transport did not return the binding of the connection")
        }
        if case .exactly(let expected) = rule, binding != expected { throw .connectionChanged }
        noted.withLock { $0 = binding }
        return response
    }
}
