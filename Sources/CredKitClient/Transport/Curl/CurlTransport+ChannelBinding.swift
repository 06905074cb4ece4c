// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
internal import CredKitSystem
internal import HTTPTypes

extension CurlTransport {
    /// Both kinds.
    public var channelBindingKinds: Set<SCRAM.ChannelBinding.Kind> { [.serverEndPoint, .exporter] }

    /// Sends a request over a TLS connection with a certain channel binding.
    func perform(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant,
        options: TransferOptions,
        binding rule: ChannelBindingRule
    ) async throws(ClientError) -> TransportResponse {
        // Without TLS nothing is inspected.
        guard let scheme = request.scheme, ASCIIText.areEqual(scheme, "https") else {
            throw .channelBindingFailed("the connection to the server has no TLS")
        }
        // The last connection that libcurl was about to send the request over.
        let found = Lock<Result<SCRAM.ChannelBinding, ClientError>?>(nil)
        var options = options
        options.inspectConnection = { connection in
            let result = connection.channelBinding(rule)
            found.withLock { $0 = result }
            if case .success = result { return true }
            return false
        }
        var response: TransportResponse
        do throws(ClientError) {
            response = try await perform(request, body: body, deadline: deadline, options: options)
        } catch {
            guard error == .untrustedServer, case .failure(let reason)? = found.withLock({ $0 }) else {
                throw error
            }
            throw reason
        }
        guard case .success(let binding)? = found.withLock({ $0 }) else {
            throw .channelBindingFailed("the connection was not inspected")
        }
        response.channelBinding = binding
        return response
    }
}

extension TLSConnection {
    /// Returns the binding that a rule requires, or the reason why a request must not be sent.
    func channelBinding(_ rule: ChannelBindingRule) -> Result<SCRAM.ChannelBinding, ClientError> {
        let binding: SCRAM.ChannelBinding
        switch rule.kind {
        case .serverEndPoint:
            do throws(SCRAM.Error) {
                binding = try .serverEndPoint(certificate: peerCertificate)
            } catch {
                return .failure(ClientError(.channelBindingFailed, message: error.message))
            }
        case .exporter:
            guard let value = exporter else {
                return .failure(
                    .channelBindingFailed(
                        "the connection has no tls-exporter: with TLS 1.2 that needs the extended master secret"
                    )
                )
            }
            binding = SCRAM.ChannelBinding(.exporter, value: value)
        }
        if case .exactly(let expected) = rule, expected != binding { return .failure(.connectionChanged) }
        return .success(binding)
    }
}
