// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import HTTPTypes

@testable import CredKitClient

/// A transport whose connections end before each answer.
struct LosingTransport: HTTPTransport {
    private let wire: BindingTransport

    init(_ wire: BindingTransport) { self.wire = wire }

    var channelBindingKinds: Set<SCRAM.ChannelBinding.Kind> { wire.channelBindingKinds }

    func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant
    ) async throws -> TransportResponse {
        _ = try await wire.send(request, body: body, deadline: deadline)
        throw ClientError.noResponse
    }

    func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant,
        options: TransferOptions
    ) async throws -> TransportResponse {
        _ = try await wire.send(request, body: body, deadline: deadline, options: options)
        throw ClientError.noResponse
    }
}
