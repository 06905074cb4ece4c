// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKitTesting
import HTTPTypes

@testable import CredKitClient

/// Records how requests are to be sent.
struct OptionsLog: HTTPTransport {
    let transport: ScriptedTransport
    let entries = Lock<[TransferOptions]>([])

    func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant
    ) async throws -> TransportResponse {
        try await transport.send(request, body: body, deadline: deadline)
    }

    func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant,
        options: TransferOptions
    ) async throws -> TransportResponse {
        entries.withLock { $0.append(options) }
        return try await transport.send(request, body: body, deadline: deadline)
    }
}
