// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTesting
import HTTPTypes

@testable import CredKitClient

/// A transport whose connections have given channel bindings: each request gets the next value, and the last one is
/// repeated.
final class BindingTransport: HTTPTransport {
    private let server: SCRAMScript
    private let wire: ScriptedTransport
    private let values: Lock<[[UInt8]]>
    /// Whether the transport leaves the binding out, against its contract.
    private let forgets: Bool
    let channelBindingKinds: Set<SCRAM.ChannelBinding.Kind>

    init(
        _ server: SCRAMScript,
        values: [[UInt8]],
        kinds: Set<SCRAM.ChannelBinding.Kind> = [.serverEndPoint, .exporter],
        forgets: Bool = false
    ) {
        self.server = server
        wire = server.transport
        self.values = Lock(values)
        channelBindingKinds = kinds
        self.forgets = forgets
    }

    func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant
    ) async throws -> TransportResponse {
        try await wire.send(request, body: body, deadline: deadline)
    }

    func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant,
        options: TransferOptions
    ) async throws -> TransportResponse {
        guard let rule = options.channelBinding else {
            return try await send(request, body: body, deadline: deadline)
        }
        let value = values.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? [] }
        let binding = SCRAM.ChannelBinding(rule.kind, value: value)
        if case .exactly(let expected) = rule, expected != binding { throw ClientError.connectionChanged }
        server.state.withLock { $0.bindings = [binding] }
        var response = try await wire.send(request, body: body, deadline: deadline)
        response.channelBinding = forgets ? nil : binding
        return response
    }
}
